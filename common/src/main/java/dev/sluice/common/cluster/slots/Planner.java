package dev.sluice.common.cluster.slots;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.Command.ControllerBoot;
import dev.sluice.common.cluster.Command.Down;
import dev.sluice.common.cluster.Command.DriveOut;
import dev.sluice.common.cluster.Command.Expel;
import dev.sluice.common.cluster.Command.Fill;
import dev.sluice.common.cluster.Command.Opened;
import dev.sluice.common.cluster.Command.Promote;
import dev.sluice.common.cluster.Command.Register;
import dev.sluice.common.cluster.Command.RegisteredDrive;
import dev.sluice.common.cluster.Command.SlotCommand;
import dev.sluice.common.cluster.Command.SlotDrive;
import dev.sluice.common.cluster.Command.TakeOff;
import dev.sluice.common.cluster.Command.Trust;
import dev.sluice.common.cluster.Command.Up;
import dev.sluice.common.cluster.Durability;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.placement.Slot;
import dev.sluice.common.store.StoreException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

/// What a command does to targets, drives and slots: a pure function of the state, the command and what the leader
/// knows. A command that names something which is not so any more has no effect.
public final class Planner {
    private final ClusterState state;
    private final Replication before;
    private final Leader leader;
    private final Draft draft;

    private Planner(ClusterState state, Leader leader) {
        this.state = state;
        this.before = state.replication();
        this.leader = leader;
        this.draft = new Draft(before, state.map());
    }

    /// The same object when the command has no effect.
    ///
    /// @throws StoreException.InvalidArgument when the command can never be applied
    public static Replication plan(ClusterState state, SlotCommand command, Leader leader) {
        return new Planner(state, leader).plan(command);
    }

    private Replication plan(SlotCommand command) {
        switch (command) {
            case Register register -> register(register);
            case Up(var target, int incarnation) ->
                entry(target)
                        .filter(entry -> entry.incarnation() == incarnation && !entry.up())
                        .ifPresent(entry -> {
                            draft.put(target, entry.withUp(true));
                            fill();
                        });
            case Down down -> down(down);
            case Trust(var target, long version) ->
                entry(target)
                        .filter(entry -> entry.version() == version)
                        .ifPresent(entry -> draft.put(target, entry.trusted()));
            case ControllerBoot(var controller, int boot) ->
                draft.put(controller, Math.max(boot, before.controllers().getOrDefault(controller, 0)));
            case DriveOut out -> driveOut(out);
            case Opened(var slots) -> {
                for (var slot : slots) {
                    change(slot.group(), slot.slot(), slot.epoch(), (_, row) -> opened(row));
                }
            }
            case Promote(var learners) -> {
                var rules = new RowRules(draft, leader);
                for (var one : learners) {
                    change(
                            one,
                            (group, row) -> learner(row, one)
                                    .map(member -> rules.fill(group, one.slot(), rules.promoted(row, member)))
                                    .orElse(row));
                }
            }
            case Expel(var asking) -> {
                var rules = new RowRules(draft, leader);
                for (var one : asking) {
                    change(
                            one,
                            (group, row) -> asks(row, one) ? rules.expel(group, one.slot(), row, one.drive()) : row);
                }
            }
            case TakeOff(var learners) -> {
                var rules = new RowRules(draft, leader);
                for (var one : learners) {
                    change(
                            one,
                            (_, row) -> learner(row, one)
                                    .map(member -> rules.without(row, member))
                                    .orElse(row));
                }
            }
            case Fill() -> fill();
        }
        return draft.done();
    }

    private Optional<TargetEntry> entry(NodeId target) {
        return before.target(target);
    }

    private void fill() {
        if (!before.groups().isEmpty()) {
            draft.eachRow(new RowRules(draft, leader)::fill);
        }
    }

    private void register(Register command) {
        var target = command.target();
        var known = entry(target);
        if (known.filter(entry -> entry.nonce().equals(command.nonce())).isPresent()
                || before.incarnation(target) != command.ifIncarnation()) {
            return;
        }
        requireTarget(command);
        int incarnation = draft.newIncarnation();
        draft.put(
                target,
                new TargetEntry(
                        incarnation,
                        command.nonce(),
                        command.bootId(),
                        true,
                        known.map(TargetEntry::version).orElse(0L) + 1));
        attach(command);
        if (before.groups().isEmpty()) {
            return;
        }
        boolean rebooted =
                known.filter(entry -> !entry.bootId().equals(command.bootId())).isPresent();
        var unsound = command.drives().stream()
                .filter(drive -> !drive.sound())
                .map(RegisteredDrive::id)
                .collect(Collectors.toUnmodifiableSet());
        var gone = drivesOf(target);
        var rules = new RowRules(draft, leader);
        draft.eachRow((group, slot, row) -> {
            var named = rules.registered(group, row, target, incarnation, rebooted, unsound);
            return rules.fill(group, slot, rules.vouched(named, gone));
        });
    }

    private void requireTarget(Register command) {
        var node = state.map().nodes().get(command.target());
        if (node == null || node.role() != Role.TARGET) {
            throw new StoreException.InvalidArgument(command.target() + " has not joined as a target");
        }
        for (var drive : command.drives()) {
            if (!(drive.weight() > 0) || Double.isInfinite(drive.weight())) {
                throw new StoreException.InvalidArgument(
                        "the weight of drive %s is %s".formatted(drive.id(), drive.weight()));
            }
            before.drives()
                    .find(drive.id())
                    .filter(entry -> !entry.target().equals(command.target()))
                    .ifPresent(entry -> {
                        throw new StoreException.InvalidArgument("drive %s is a drive of %s, and not of %s"
                                .formatted(drive.id(), entry.target(), command.target()));
                    });
        }
    }

    /// A known drive keeps its weight. One that is named again is no longer out: while it was, no write was
    /// acknowledged
    /// in its slots without it, or it was taken off them.
    private void attach(Register command) {
        var named = new HashMap<String, Double>();
        command.drives().forEach(drive -> named.put(drive.id(), drive.weight()));
        before.drives().entries().forEach((drive, entry) -> {
            if (entry.target().equals(command.target())) {
                draft.put(drive, entry.withOut(!named.containsKey(drive)));
            }
        });
        named.forEach((drive, weight) -> {
            if (!draft.drives().containsKey(drive)) {
                draft.put(drive, new DriveEntry(command.target(), weight, false));
            }
        });
    }

    private void down(Down command) {
        var known = entry(command.target())
                .filter(entry -> entry.up() && entry.version() == command.version())
                .filter(_ -> command.boots().entrySet().stream()
                        .allMatch(boot -> before.controllers()
                                .getOrDefault(boot.getKey(), 0)
                                .equals(boot.getValue())));
        if (known.isPresent()) {
            draft.put(command.target(), known.get().withUp(false));
            fillAndVouch(drivesOf(command.target()));
        }
    }

    private void driveOut(DriveOut command) {
        var out = new HashSet<String>();
        for (var drive : command.drives()) {
            before.drives()
                    .find(drive)
                    .filter(entry -> !entry.out()
                            && entry.target().equals(command.target())
                            && before.incarnation(command.target()) == command.incarnation())
                    .ifPresent(entry -> {
                        draft.put(drive, entry.withOut(true));
                        out.add(drive);
                    });
        }
        if (!out.isEmpty()) {
            fillAndVouch(out);
        }
    }

    private void fillAndVouch(Set<String> gone) {
        if (!before.groups().isEmpty()) {
            var rules = new RowRules(draft, leader);
            draft.eachRow((group, slot, row) -> rules.vouched(rules.fill(group, slot, row), gone));
        }
    }

    private Set<String> drivesOf(NodeId target) {
        return draft.drives().entrySet().stream()
                .filter(entry -> entry.getValue().target().equals(target))
                .map(Map.Entry::getKey)
                .collect(Collectors.toUnmodifiableSet());
    }

    private void change(SlotDrive one, BiFunction<Group, SlotRow, SlotRow> rule) {
        change(one.group(), one.slot(), one.epoch(), rule);
    }

    private void change(int groupId, int slot, long epoch, BiFunction<Group, SlotRow, SlotRow> rule) {
        var group = before.groups().get(groupId);
        if (group != null
                && slot >= 0
                && slot < Slot.COUNT
                && draft.row(groupId, slot).epoch() == epoch) {
            draft.change(group, slot, (_, _, row) -> rule.apply(group, row));
        }
    }

    private static SlotRow opened(SlotRow row) {
        return new SlotRow(row.epoch(), row.members(), row.primarySince(), List.of(), true);
    }

    private static Optional<Member> learner(SlotRow row, SlotDrive named) {
        return row.member(named.drive())
                .filter(member -> !member.inSync() && member.incarnation() == named.incarnation());
    }

    /// Whether the one who asks lives, as far as the log knows.
    private boolean asks(SlotRow row, SlotDrive named) {
        return row.member(named.drive())
                .filter(member ->
                        member.inSync() && member.incarnation() == named.incarnation() && draft.usable(member.drive()))
                .isPresent();
    }

    /// With the group for new buckets with these properties; the same object when there is one. Slots of a new
    /// group begin with what placement wants, all in-sync and opened: there is nothing to copy, and no older epoch
    /// to fence off.
    ///
    /// @throws StoreException when the cluster cannot have such a group, or not now
    public static Replication withGroup(ClusterState state, int replicas, Durability durability) {
        return withGroup(state, replicas, durability, Slot.COUNT);
    }

    /// @param slots how many, fewer in tests
    static Replication withGroup(ClusterState state, int replicas, Durability durability, int slots) {
        var before = state.replication();
        if (before.group(replicas, durability).isPresent()) {
            return before;
        }
        requireRoom(state, replicas);
        int id = before.groups().isEmpty() ? 1 : before.groups().lastKey() + 1;
        var group = new Group(id, replicas, durability);
        var draft = new Draft(before, state.map());
        var rules = new RowRules(draft, Leader.KNOWS_NOTHING);
        var interner = new Interner();
        var rows = new SlotRow[slots];
        for (int slot = 0; slot < rows.length; slot++) {
            var members = rules.goal(group, slot).stream()
                    .map(drive -> new Member(drive, true, draft.incarnation(drive), 1))
                    .toList();
            rows[slot] = interner.row(new SlotRow(SlotRow.FIRST, members, SlotRow.FIRST, List.of(), true));
        }
        var groups = new TreeMap<>(before.groups());
        groups.put(id, group);
        var tables = new HashMap<>(before.tables());
        tables.put(id, SlotTable.of(rows));
        return new Replication(
                before.lastIncarnation(), before.targets(), before.drives(), before.controllers(), groups, tables);
    }

    private static void requireRoom(ClusterState state, int replicas) {
        var replication = state.replication();
        if (replicas > state.members().size()) {
            throw new StoreException.InvalidArgument("a bucket with %d replicas needs %d targets; the cluster has %d"
                    .formatted(replicas, replicas, state.members().size()));
        }
        if (replication.groups().size() >= Replication.MOST_GROUPS) {
            throw new StoreException.InvalidArgument(
                    "the cluster has %d groups of replicated buckets, and cannot have more"
                            .formatted(Replication.MOST_GROUPS));
        }
        for (var target : state.members()) {
            if (replication.target(target).isEmpty()) {
                throw new StoreException.Unavailable(target + " has not registered its drives yet; try again");
            }
        }
        if (replication.drives().entries().keySet().stream().noneMatch(replication::usable)) {
            throw new StoreException.Unavailable("no target has a usable drive; try again");
        }
    }
}
