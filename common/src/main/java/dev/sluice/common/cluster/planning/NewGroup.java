package dev.sluice.common.cluster.planning;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.slots.Durability;
import dev.sluice.common.cluster.slots.Generation;
import dev.sluice.common.cluster.slots.Group;
import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.Replication;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.common.cluster.slots.SlotTable;
import dev.sluice.common.store.StoreException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.TreeMap;

/// The group of a bucket with replicas. Slots of a new group begin with what placement wants, all in-sync and opened:
/// there is nothing to copy, and no older epoch to fence off. Where the state was recovered there may have been one, in
/// what was lost: their first epoch is larger than all of those, and their primaries fence it off.
public final class NewGroup {
    private NewGroup() {}

    /// With the group for new buckets with these properties; the same object when there is one.
    ///
    /// @param slots how many it has if it is new
    /// @throws StoreException when the cluster cannot have such a group, or not now
    public static Replication in(ClusterState state, int replicas, int data, Durability durability, int slots) {
        var before = state.replication();
        if (before.group(replicas, data, durability).isPresent()) {
            return before;
        }
        requireRoom(state, replicas, data);
        int id = before.groups().isEmpty() ? 1 : before.groups().lastKey() + 1;
        var group = new Group(id, replicas, data, durability, slots);
        var rules = new RowTransitions(new NextState(before, state.map()), PlanningFacts.KNOWS_NOTHING);
        long first = Generation.of(state.version()) > 0 ? state.version() : SlotRow.FIRST;
        var known = new IdentityHashMap<List<String>, SlotRow>();
        var rows = new SlotRow[slots];
        for (int slot = 0; slot < rows.length; slot++) {
            rows[slot] =
                    known.computeIfAbsent(rules.goal(group, slot, List.of()), goal -> row(rules, group, goal, first));
        }
        var groups = new TreeMap<>(before.groups());
        groups.put(id, group);
        var tables = new HashMap<>(before.tables());
        tables.put(id, SlotTable.of(rows));
        return new Replication(
                before.lastIncarnation(),
                before.targets(),
                before.drives(),
                before.controllers(),
                groups,
                before.forgotten(),
                tables);
    }

    private static SlotRow row(RowTransitions rules, Group group, List<String> goal, long first) {
        requireEnough(group, goal.size());
        var members = new ArrayList<Member>();
        for (int place = 0; place < goal.size(); place++) {
            members.add(rules.member(goal.get(place), true, first, group.coded() ? place : 0));
        }
        Positions.sort(group, members, 0);
        return new SlotRow(first, members, first, first, List.of(), first == SlotRow.FIRST);
    }

    /// Else nothing could be written to the slot.
    private static void requireEnough(Group group, int members) {
        if (group.coded() && members < group.floor()) {
            throw new StoreException.Unavailable(
                    "a bucket with %d data and %d parity slices needs %d targets that are up; there are %d; try again"
                            .formatted(group.data(), group.parity(), group.floor(), members));
        }
    }

    private static void requireRoom(ClusterState state, int replicas, int data) {
        var replication = state.replication();
        if (replicas > state.members().size()) {
            var what = data > 1
                    ? "%d data and %d parity slices".formatted(data, replicas - data)
                    : "%d replicas".formatted(replicas);
            throw new StoreException.InvalidArgument("a bucket with %s needs %d targets; the cluster has %d"
                    .formatted(what, replicas, state.members().size()));
        }
        if (replication.groups().size() >= Replication.MOST_GROUPS) {
            throw new StoreException.InvalidArgument(
                    "the cluster has %d groups of replicated buckets, and cannot have more"
                            .formatted(Replication.MOST_GROUPS));
        }
        var missing = state.members().stream()
                .filter(target -> replication.target(target).isEmpty())
                .toList();
        if (state.members().size() - missing.size() < replicas) { // those that come later get their share then
            throw new StoreException.Unavailable(
                    "%s have not registered their drives yet, and %d targets are needed; try again"
                            .formatted(missing, replicas));
        }
        if (replication.drives().entries().keySet().stream().noneMatch(replication::usable)) {
            throw new StoreException.Unavailable("no target has a usable drive; try again");
        }
    }
}
