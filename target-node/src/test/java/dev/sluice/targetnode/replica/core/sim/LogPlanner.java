package dev.sluice.targetnode.replica.core.sim;

import static dev.sluice.targetnode.replica.core.sim.LogState.where;

import dev.sluice.common.cluster.planning.UnreachablePair;
import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.targetnode.controller.judge.Reachability;
import dev.sluice.targetnode.replica.core.Proposal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// What an entry of the log does: a function of the state, but for what the leader knows of leases and of who
/// hears whom.
final class LogPlanner {
    /// What the leader knows beside the log.
    interface Leader {
        boolean leased(String drive, LogState state);

        /// Who hears whom, as it knows.
        Reachability reachability();

        /// Its number among the controllers.
        int id();

        /// Whether the drive was taken off the slot a while ago.
        boolean avoids(int slot, String drive);

        /// Whether the slot lost a member a while ago that its primary did not hear.
        boolean wasCutOff(int slot);
    }

    /// @param next empty: the entry has no effect
    /// @param incarnation the answer to a registration or query; empty: refused
    record Outcome(Optional<LogState> next, Optional<Integer> incarnation) {}

    private static final Outcome NOTHING = new Outcome(Optional.empty(), Optional.empty());

    private final LogState old;
    private final LogState next;
    private final Leader leader;
    private final Set<String> broken;
    private final RowPlanner rows;

    private LogPlanner(LogState state, Leader leader, Set<String> broken) {
        this.old = state;
        this.next = state.next();
        this.leader = leader;
        this.broken = broken;
        this.rows = new RowPlanner(next, leader, broken);
    }

    static Outcome plan(LogState state, Entry entry, Leader leader, Set<String> broken) {
        return new LogPlanner(state, leader, broken).plan(entry);
    }

    private Outcome plan(Entry entry) {
        return switch (entry) {
            case Entry.Query(var target) ->
                new Outcome(Optional.empty(), Optional.of(old.incarnation.getOrDefault(target, 0)));
            case Entry.Register register -> register(register);
            case Entry.Down down -> {
                boolean rebooted = down.boots().entrySet().stream()
                        .anyMatch(boot ->
                                !old.boots.getOrDefault(boot.getKey(), 0).equals(boot.getValue()));
                if (Known.of(old.entry, down.target()) != down.entry()
                        || !old.isUp(down.target())
                        || (rebooted && !broken.contains("w_ctl"))) {
                    yield NOTHING;
                }
                next.up.put(down.target(), false);
                next.entry.merge(down.target(), 1, Integer::sum);
                rows.fill();
                rows.vouch(drive -> where(drive).equals(down.target()));
                yield done();
            }
            case Entry.Trust(var target, int version) -> {
                if (Known.of(old.entry, target) != version) {
                    yield NOTHING;
                }
                next.entry.merge(target, 1, Integer::sum);
                yield done();
            }
            case Entry.Up(var target, int incarnation) -> {
                if (old.incarnation.getOrDefault(target, 0) != incarnation
                        || old.isUp(target)
                        || (old.muted.contains(target) && !broken.contains("x_up"))) {
                    yield NOTHING;
                }
                next.up.put(target, true);
                next.muted.remove(target);
                next.entry.merge(target, 1, Integer::sum);
                rows.fill();
                yield done();
            }
            case Entry.LastBoot(int controller) ->
                new Outcome(Optional.empty(), Optional.of(old.boots.getOrDefault(controller, 0)));
            case Entry.Boot(int controller, int boot) -> {
                next.boots.merge(controller, boot, Math::max);
                yield done();
            }
            case Entry.DriveOut(var drive, int _) -> {
                if (!next.out.add(drive)) {
                    yield NOTHING;
                }
                rows.fill();
                rows.vouch(drive::equals);
                yield done();
            }
            case Entry.DriveIn _ -> NOTHING;
            case Entry.Drain(var target) -> {
                if (!next.draining.remove(target)) {
                    next.draining.add(target);
                }
                rows.fill();
                yield done();
            }
            case Entry.Goal(int replicas) -> {
                next.goal = replicas;
                rows.fill();
                yield done();
            }
            case Entry.Fill() -> {
                rows.fill();
                yield next.slots.equals(old.slots) ? NOTHING : done();
            }
            case Entry.OfSlot(int slot, var proposal) -> ofSlot(slot, proposal);
            case Entry.Move(int slot, long epoch, var drive) -> {
                var row = old.row(slot);
                var member = row.member(drive).filter(Member::inSync);
                if (row.epoch() != epoch
                        || member.isEmpty()
                        || member.get().equals(row.members().getFirst())) {
                    yield NOTHING;
                }
                var members = new ArrayList<>(row.members());
                members.remove(member.get());
                members.addFirst(member.get());
                rows.change(slot, members, false);
                yield done();
            }
            case Entry.Demote(int slot, long epoch, var drive, int incarnation) -> {
                var row = old.row(slot);
                var member = row.member(drive).filter(m -> m.inSync() && m.incarnation() == incarnation);
                if (row.epoch() != epoch
                        || member.isEmpty()
                        || member.get().equals(row.members().getFirst())) {
                    yield NOTHING;
                }
                var members = new ArrayList<>(row.members());
                members.remove(member.get());
                members.add(new Member(drive, false, incarnation, epoch + 1));
                rows.change(slot, members, false);
                yield done();
            }
            case Entry.Mute(var target, int version, var muted) -> {
                if (Known.of(old.entry, target) != version
                        || !old.isUp(target)
                        || old.muted.contains(target)
                        || !leader.reachability().isHeardByFew(ProductionPlanner.node(target))
                        || (!old.muted.equals(muted) && !broken.contains("x_set"))) {
                    yield NOTHING;
                }
                next.muted.add(target);
                if (broken.contains("x_down_now")) {
                    next.up.put(target, false);
                    next.entry.merge(target, 1, Integer::sum);
                    rows.fill();
                    rows.vouch(drive -> where(drive).equals(target));
                }
                yield done();
            }
            case Entry.Unmute(var target, int version) -> {
                if (Known.of(old.entry, target) != version || !next.muted.remove(target)) {
                    yield NOTHING;
                }
                next.entry.merge(target, 1, Integer::sum);
                yield done();
            }
            case Entry.CutOff off -> cutOff(off);
            case Entry.Expel _ -> NOTHING;
            case Entry.Fenced(var target, int incarnation, int version) -> {
                if (old.incarnation.getOrDefault(target, 0) != incarnation || old.version != version) {
                    yield NOTHING;
                }
                rows.vouch(drive -> where(drive).equals(target));
                yield next.slots.equals(old.slots) ? NOTHING : done();
            }
        };
    }

    private Outcome done() {
        return new Outcome(Optional.of(next), Optional.empty());
    }

    private Outcome register(Entry.Register register) {
        var target = register.target();
        if (!broken.contains("w_register")) {
            if (register.nonce().equals(old.nonce.get(target))) {
                return new Outcome(Optional.empty(), Optional.of(Known.of(old.incarnation, target)));
            }
            if (old.incarnation.getOrDefault(target, 0) != register.ifIncarnation()) {
                return NOTHING;
            }
        }
        int incarnation = ++next.lastIncarnation;
        next.incarnation.put(target, incarnation);
        next.nonce.put(target, register.nonce());
        next.bootIds.put(target, register.bootId());
        next.up.put(target, !next.muted.contains(target));
        next.entry.merge(target, 1, Integer::sum);
        register.drives().forEach(drive -> next.drives.put(drive, target));
        next.drives.forEach((drive, owner) -> {
            if (owner.equals(target) && !register.drives().contains(drive)) {
                next.out.add(drive);
            }
        });
        for (int slot : old.slots.keySet()) {
            for (var member : old.row(slot).members()) {
                if (where(member.drive()).equals(target)) {
                    registered(slot, member, incarnation, register);
                }
            }
        }
        rows.vouch(drive -> where(drive).equals(target));
        rows.fill();
        return new Outcome(Optional.of(next), Optional.of(incarnation));
    }

    private void registered(int slot, Member member, int incarnation, Entry.Register register) {
        var row = old.row(slot);
        var others =
                row.inSync().stream().filter(other -> !other.equals(member)).toList();
        boolean mayLack =
                ((old.os && !register.bootId().equals(old.bootIds.getOrDefault(register.target(), register.bootId())))
                                || register.lossy().contains(member.drive()))
                        && !broken.contains("w_dirty");
        boolean leased = others.stream().anyMatch(other -> leader.leased(other.drive(), old));
        boolean demote =
                !member.inSync() || (!others.isEmpty() && (mayLack || (leased && broken.contains("w_demote"))));
        var members = new ArrayList<>(row.members());
        members.remove(member);
        int place =
                demote ? members.size() : leased ? others.size() : row.members().indexOf(member);
        members.add(place, new Member(member.drive(), !demote, incarnation, row.epoch() + 1));
        rows.change(slot, members, !demote && !broken.contains("w_copyback"));
    }

    private Outcome ofSlot(int slot, Proposal proposal) {
        var row = old.row(slot);
        if (row.epoch() != proposal.epoch()) {
            return NOTHING;
        }
        switch (proposal) {
            case Proposal.Opened _ -> {
                if (row.opened()) {
                    return NOTHING;
                }
                rows.put(
                        slot,
                        new SlotRow(row.epoch(), row.members(), row.primarySince(), row.driveSince(), List.of(), true));
            }
            case Proposal.Promote(long _, var drive, int incarnation) -> {
                var learner = learner(row, drive, incarnation);
                if (learner.isEmpty()) {
                    return NOTHING;
                }
                var members = new ArrayList<>(row.members());
                members.remove(learner.get());
                members.add(row.inSync().size(), new Member(drive, true, incarnation, row.epoch() + 1));
                rows.change(slot, members, false);
                rows.fill(broken.contains("w_promote_trims") ? slot : -1, Optional.empty());
            }
            case Proposal.Expel(long _, var drive, int incarnation) -> {
                var asking = row.member(drive)
                        .filter(m -> m.inSync() && m.incarnation() == incarnation && old.isUp(where(drive)));
                if (asking.isEmpty()) {
                    return NOTHING;
                }
                rows.fill(slot, Optional.of(drive));
                if (next.row(slot).equals(row)) {
                    return NOTHING;
                }
            }
            case Proposal.TakeOff(long _, var drive, int incarnation) -> {
                var learner = learner(row, drive, incarnation);
                if (learner.isEmpty()) {
                    return NOTHING;
                }
                var members = new ArrayList<>(row.members());
                members.remove(learner.get());
                rows.change(slot, members, false);
                rows.avoid(slot, drive);
            }
        }
        return done();
    }

    private static Optional<Member> learner(SlotRow row, String drive, int incarnation) {
        return row.member(drive).filter(member -> !member.inSync() && member.incarnation() == incarnation);
    }

    private Outcome cutOff(Entry.CutOff off) {
        var row = old.row(off.slot());
        var leaving = row.member(off.leaving());
        var asker = where(off.primary());
        var reachability = leader.reachability();
        var node = ProductionPlanner.node(asker);
        var other = ProductionPlanner.node(where(off.leaving()));
        boolean leads = row.epoch() == off.epoch()
                && row.primary().drive().equals(off.primary())
                && row.primary().incarnation() == off.incarnation()
                && old.usable(off.primary());
        boolean late = !leader.leased(off.primary(), old)
                || off.by().controller() != leader.id()
                || !reachability.hasJustBeaten(
                        node, off.by().process(), off.by().beat());
        boolean worse = old.muted.contains(asker)
                || reachability.isHeardByFew(node)
                || !reachability.pairs().contains(UnreachablePair.of(node, other));
        if (!leads
                || leaving.isEmpty()
                || leader.wasCutOff(off.slot())
                || (late && !broken.contains("x_late"))
                || (worse && !broken.contains("x_race"))) {
            return NOTHING;
        }
        var members = new ArrayList<>(row.members());
        members.remove(leaving.get());
        rows.change(off.slot(), members, false);
        rows.avoid(off.slot(), off.leaving());
        rows.fill();
        return done();
    }
}
