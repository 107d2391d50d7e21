package dev.sluice.targetnode.replica.core.sim;

import static dev.sluice.targetnode.replica.core.sim.LogState.where;

import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.targetnode.replica.core.Proposal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.zip.CRC32;

/// What an entry of the log does: a function of the state, but for what the leader knows of leases and of who reaches
/// whom.
final class LogPlanner {
    /// What the leader knows beside the log.
    interface Leader {
        boolean leased(String drive, LogState state);

        /// How many targets a drive's target reaches.
        int reach(String drive);

        double now();
    }

    /// @param next empty: the entry has no effect
    /// @param incarnation the answer to a registration or query; empty: refused
    record Outcome(Optional<LogState> next, Optional<Integer> incarnation) {}

    private static final Outcome NOTHING = new Outcome(Optional.empty(), Optional.empty());

    private final LogState old;
    private final LogState next;
    private final Leader leader;
    private final Set<String> broken;

    private LogPlanner(LogState state, Leader leader, Set<String> broken) {
        this.old = state;
        this.next = state.next();
        this.leader = leader;
        this.broken = broken;
    }

    static Outcome plan(LogState state, Entry entry, Leader leader, Set<String> broken) {
        return new LogPlanner(state, leader, broken).plan(entry);
    }

    static List<String> goal(LogState state, int slot, Predicate<String> good) {
        var goal = new ArrayList<String>();
        var targets = new HashSet<String>();
        state.drives.keySet().stream()
                .filter(good)
                .sorted(Comparator.comparingLong((String drive) -> rank(drive, slot))
                        .thenComparing(Comparator.naturalOrder()))
                .filter(drive -> targets.add(where(drive)))
                .limit(state.goal)
                .forEach(goal::add);
        return goal;
    }

    private static long rank(String drive, int slot) {
        var sum = new CRC32();
        sum.update((drive + "/" + slot).getBytes(StandardCharsets.US_ASCII));
        return sum.getValue();
    }

    private Outcome plan(Entry entry) {
        return switch (entry) {
            case Entry.Query(var target) ->
                new Outcome(Optional.empty(), Optional.of(old.incarnation.getOrDefault(target, 0)));
            case Entry.Register register -> register(register);
            case Entry.Down down -> {
                boolean rebooted = down.boots().entrySet().stream()
                        .anyMatch(boot -> !old.boots.getOrDefault(boot.getKey(), 0).equals(boot.getValue()));
                if (old.entry.get(down.target()) != down.entry()
                        || !old.isUp(down.target())
                        || rebooted && !broken.contains("w_ctl")) {
                    yield NOTHING;
                }
                next.up.put(down.target(), false);
                next.entry.merge(down.target(), 1, Integer::sum);
                fill();
                vouch(drive -> where(drive).equals(down.target()));
                yield done();
            }
            case Entry.Trust(var target, int version) -> {
                if (old.entry.get(target) != version) {
                    yield NOTHING;
                }
                next.entry.merge(target, 1, Integer::sum);
                yield done();
            }
            case Entry.Up(var target, int incarnation) -> {
                if (old.incarnation.getOrDefault(target, 0) != incarnation || old.isUp(target)) {
                    yield NOTHING;
                }
                next.up.put(target, true);
                next.entry.merge(target, 1, Integer::sum);
                fill();
                yield done();
            }
            case Entry.Boot(int controller, int boot) -> {
                next.boots.merge(controller, boot, Math::max);
                yield done();
            }
            case Entry.DriveOut(var drive) -> {
                if (!next.out.add(drive)) {
                    yield NOTHING;
                }
                fill();
                vouch(drive::equals);
                yield done();
            }
            case Entry.Drain(var target) -> {
                if (!next.draining.remove(target)) {
                    next.draining.add(target);
                }
                fill();
                yield done();
            }
            case Entry.Goal(int replicas) -> {
                next.goal = replicas;
                fill();
                yield done();
            }
            case Entry.Fill() -> {
                fill();
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
                change(slot, members, false);
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
                change(slot, members, false);
                yield done();
            }
            case Entry.Accuse accuse -> accuse(accuse);
        };
    }

    private Outcome done() {
        return new Outcome(Optional.of(next), Optional.empty());
    }

    private Outcome register(Entry.Register register) {
        var target = register.target();
        if (!broken.contains("w_register")) {
            if (register.nonce().equals(old.nonce.get(target))) {
                return new Outcome(Optional.empty(), Optional.of(old.incarnation.get(target)));
            }
            if (old.incarnation.getOrDefault(target, 0) != register.ifIncarnation()) {
                return NOTHING;
            }
        }
        int incarnation = ++next.lastIncarnation;
        next.incarnation.put(target, incarnation);
        next.nonce.put(target, register.nonce());
        next.up.put(target, true);
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
        vouch(drive -> where(drive).equals(target));
        fill();
        return new Outcome(Optional.of(next), Optional.of(incarnation));
    }

    private void registered(int slot, Member member, int incarnation, Entry.Register register) {
        var row = old.row(slot);
        var others = row.inSync().stream().filter(other -> !other.equals(member)).toList();
        boolean mayLack = (register.rebooted() || register.lossy().contains(member.drive()))
                && !broken.contains("w_dirty");
        boolean leased = others.stream().anyMatch(other -> leader.leased(other.drive(), old));
        boolean demote = !member.inSync()
                || !others.isEmpty() && (mayLack || leased && broken.contains("w_demote"));
        var members = new ArrayList<>(row.members());
        members.remove(member);
        int place = demote ? members.size() : leased ? others.size() : row.members().indexOf(member);
        members.add(place, new Member(member.drive(), !demote, incarnation, row.epoch() + 1));
        change(slot, members, !demote && !broken.contains("w_copyback"));
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
                put(slot, new SlotRow(row.epoch(), row.members(), row.primarySince(), List.of(), true));
            }
            case Proposal.Promote(_, var drive, int incarnation) -> {
                var learner = learner(row, drive, incarnation);
                if (learner.isEmpty()) {
                    return NOTHING;
                }
                var members = new ArrayList<>(row.members());
                members.remove(learner.get());
                members.add(row.inSync().size(), new Member(drive, true, incarnation, row.epoch() + 1));
                change(slot, members, false);
                fill(broken.contains("w_promote_trims") ? slot : -1, Optional.empty());
            }
            case Proposal.Expel(_, var drive, int incarnation) -> {
                var asking = row.member(drive)
                        .filter(m -> m.inSync() && m.incarnation() == incarnation && old.isUp(where(drive)));
                if (asking.isEmpty()) {
                    return NOTHING;
                }
                fill(slot, Optional.of(drive));
                if (next.row(slot).equals(row)) {
                    return NOTHING;
                }
            }
            case Proposal.TakeOff(_, var drive, int incarnation) -> {
                var learner = learner(row, drive, incarnation);
                if (learner.isEmpty()) {
                    return NOTHING;
                }
                var members = new ArrayList<>(row.members());
                members.remove(learner.get());
                change(slot, members, false);
                avoid(slot, drive, old.slots.get(slot).accused());
            }
        }
        return done();
    }

    private static Optional<Member> learner(SlotRow row, String drive, int incarnation) {
        return row.member(drive).filter(member -> !member.inSync() && member.incarnation() == incarnation);
    }

    private Outcome accuse(Entry.Accuse accuse) {
        var row = old.row(accuse.slot());
        var accused = row.member(accuse.accused());
        if (row.epoch() != accuse.epoch()
                || accused.isEmpty()
                || row.member(accuse.accuser()).isEmpty()
                || leader.now() - old.slots.get(accuse.slot()).accused() <= 5000) {
            return NOTHING;
        }
        boolean accuserIsWorse = leader.reach(accuse.accuser()) < leader.reach(accuse.accused());
        var drive = accuserIsWorse && accused.get().inSync() ? accuse.accuser() : accuse.accused();
        var leaving = row.member(drive).orElseThrow();
        if (leaving.inSync() && row.inSync().size() < 2) {
            return NOTHING;
        }
        var members = new ArrayList<>(row.members());
        members.remove(leaving);
        change(accuse.slot(), members, false);
        avoid(accuse.slot(), drive, leader.now());
        fill();
        return done();
    }

    private void avoid(int slot, String drive, double accused) {
        var avoided = new HashMap<>(next.slots.get(slot).avoided());
        avoided.put(drive, leader.now() + 2000);
        next.slots.put(slot, new LogState.Slot(next.row(slot), Map.copyOf(avoided), accused));
    }

    private void put(int slot, SlotRow row) {
        var was = next.slots.get(slot);
        next.slots.put(slot, new LogState.Slot(row, was.avoided(), was.accused()));
    }

    private void fill() {
        fill(-1, Optional.empty());
    }

    /// Missing members are replaced by learners at once; a better-ranked drive becomes a learner; surplus learners leave.
    ///
    /// @param asked the slot of which a living in-sync member asks that others leave; -1: none
    /// @param asking the drive that asks: it stays
    private void fill(int asked, Optional<String> asking) {
        for (int slot : List.copyOf(next.slots.keySet())) {
            var row = next.row(slot);
            var kept = new ArrayList<>(row.members());
            kept.removeIf(member -> !member.inSync() && !next.usable(member.drive()));
            boolean someLive = row.inSync().stream().anyMatch(member -> next.usable(member.drive()));
            if (slot == asked || broken.contains("w_down") && someLive) {
                kept.removeIf(member -> !next.usable(member.drive()));
            }
            var avoided = next.slots.get(slot).avoided();
            var goal = goal(
                    next,
                    slot,
                    drive -> next.usable(drive)
                            && !next.draining.contains(where(drive))
                            && avoided.getOrDefault(drive, 0.0) < leader.now());
            if (slot == asked || broken.contains("w_trim")) {
                trim(kept, goal, asking);
            }
            kept.removeIf(member -> !member.inSync() && !goal.contains(member.drive()));
            long inSync = kept.stream().filter(Member::inSync).count();
            for (var drive : goal) {
                if (kept.size() - inSync < Math.max(next.goal - inSync, 1)
                        && kept.stream().noneMatch(member -> where(member.drive()).equals(where(drive)))) {
                    kept.add(new Member(drive, false, next.incarnation.get(where(drive)), row.epoch() + 1));
                }
            }
            change(slot, kept, false);
        }
    }

    private void trim(List<Member> kept, List<String> goal, Optional<String> asking) {
        while (true) {
            var inSync = kept.stream().filter(Member::inSync).toList();
            if (inSync.size() <= next.goal) {
                return;
            }
            var may = inSync.stream()
                    .filter(member -> !Optional.of(member.drive()).equals(asking))
                    .toList()
                    .reversed();
            var misplaced = may.stream().filter(member -> !goal.contains(member.drive())).findFirst();
            if (misplaced.isEmpty() && asking.filter(drive -> !goal.contains(drive)).isPresent()) {
                return;
            }
            kept.remove(misplaced.orElseGet(may::getFirst));
        }
    }

    /// The next epoch of a slot. The fence list: who may still think that an older epoch counts.
    private void change(int slot, List<Member> members, boolean fencesAgain) {
        var row = next.row(slot);
        if (members.equals(row.members())) {
            return;
        }
        var before = row.primary();
        var now = members.stream().filter(Member::inSync).findFirst().orElseThrow();
        long epoch = row.epoch() + 1;
        boolean same = !fencesAgain && before.drive().equals(now.drive()) && before.incarnation() == now.incarnation();
        var fence = new TreeSet<String>();
        row.inSync().stream().map(Member::drive).filter(next::usable).forEach(fence::add);
        if (!broken.contains("w_fence")) {
            if (same && row.opened()) {
                fence.clear();
            } else if (!row.opened()) {
                fence.addAll(row.fence());
            }
        }
        put(
                slot,
                new SlotRow(
                        epoch,
                        members,
                        same ? row.primarySince() : epoch,
                        List.copyOf(fence),
                        same && row.opened()));
    }

    /// The former process of these drives serves no more, by `Down`, a newer registration, or the drive being out.
    private void vouch(Predicate<String> gone) {
        for (int slot : List.copyOf(next.slots.keySet())) {
            var row = next.row(slot);
            var fence = row.fence().stream().filter(gone.negate()).toList();
            put(slot, new SlotRow(row.epoch(), row.members(), row.primarySince(), fence, row.opened()));
        }
    }
}
