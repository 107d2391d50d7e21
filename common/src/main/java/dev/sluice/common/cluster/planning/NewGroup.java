package dev.sluice.common.cluster.planning;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.slots.Durability;
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
/// there is nothing to copy, and no older epoch to fence off.
public final class NewGroup {
    private NewGroup() {}

    /// With the group for new buckets with these properties; the same object when there is one.
    ///
    /// @param slots how many it has if it is new
    /// @throws StoreException when the cluster cannot have such a group, or not now
    public static Replication in(ClusterState state, int replicas, Durability durability, int slots) {
        var before = state.replication();
        if (before.group(replicas, durability).isPresent()) {
            return before;
        }
        requireRoom(state, replicas);
        int id = before.groups().isEmpty() ? 1 : before.groups().lastKey() + 1;
        var group = new Group(id, replicas, durability, slots);
        var rules = new RowTransitions(new NextState(before, state.map()), PlanningFacts.KNOWS_NOTHING);
        var known = new IdentityHashMap<List<String>, SlotRow>();
        var rows = new SlotRow[slots];
        for (int slot = 0; slot < rows.length; slot++) {
            rows[slot] = known.computeIfAbsent(rules.goal(group, slot, List.of()), goal -> first(rules, goal));
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

    private static SlotRow first(RowTransitions rules, List<String> goal) {
        var members = new ArrayList<Member>();
        goal.forEach(drive -> members.add(rules.member(drive, true, SlotRow.FIRST)));
        return new SlotRow(SlotRow.FIRST, members, SlotRow.FIRST, SlotRow.FIRST, List.of(), true);
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
