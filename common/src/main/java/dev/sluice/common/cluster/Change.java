package dev.sluice.common.cluster;

import dev.sluice.common.cluster.slots.Replication;
import dev.sluice.common.cluster.slots.SlotRows;
import dev.sluice.common.cluster.slots.SlotTable;
import dev.sluice.common.jobs.Job;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// An entry of the log: effects, which every node applies without judging them again. Keys of clients are no part
/// of it.
///
/// @param ifVersion the version of the state it was planned from; it applies to no other
/// @param small targets, drives, controllers and groups, without tables, when one of them changed
/// @param rows group → new rows; all rows of a new group
/// @param jobs those that changed; empty for one that is forgotten
public record Change(
        long ifVersion,
        Optional<ClusterMap> map,
        Optional<BucketChanges> buckets,
        Optional<Replication> small,
        SortedMap<Integer, SlotRows> rows,
        SortedMap<String, Optional<Job>> jobs)
        implements LogEntry {
    public Change {
        jobs = Collections.unmodifiableSortedMap(new TreeMap<>(jobs));
    }

    /// Of no job.
    public Change(
            long ifVersion,
            Optional<ClusterMap> map,
            Optional<BucketChanges> buckets,
            Optional<Replication> small,
            SortedMap<Integer, SlotRows> rows) {
        this(ifVersion, map, buckets, small, rows, new TreeMap<>());
    }

    /// @throws IllegalArgumentException when the states differ in what no entry changes
    public static Change between(ClusterState before, ClusterState after) {
        if (after.version() != before.version() + 1
                || !after.clusterId().equals(before.clusterId())
                || !after.members().equals(before.members())
                || !after.credentials().equals(before.credentials())) {
            throw new IllegalArgumentException(after + " is not one entry after " + before);
        }
        var rows = new TreeMap<Integer, SlotRows>();
        after.replication().tables().forEach((group, table) -> {
            var changed = before.replication().table(group).map(table::since).orElseGet(table::all);
            if (changed.size() > 0) {
                rows.put(group, changed);
            }
        });
        return new Change(
                before.version(),
                changed(before.map(), after.map()),
                BucketChanges.between(before.buckets(), after.buckets()),
                changed(
                        before.replication().withTables(Map.of()),
                        after.replication().withTables(Map.of())),
                rows,
                before.jobs().changesTo(after.jobs()));
    }

    @Override
    public Optional<ClusterState> appliedTo(Optional<ClusterState> state) {
        return state.flatMap(now -> now.apply(this));
    }

    @Override
    public List<Change> changes() {
        return List.of(this);
    }

    private static <T> Optional<T> changed(T before, T after) {
        return after.equals(before) ? Optional.empty() : Optional.of(after);
    }

    /// How many rows it names.
    public int size() {
        return rows.values().stream().mapToInt(SlotRows::size).sum();
    }

    Replication replication(Replication before) {
        if (small.isEmpty() && rows.isEmpty()) {
            return before;
        }
        var tables = new HashMap<>(before.tables());
        rows.forEach((group, changed) -> tables.merge(
                group,
                tables.containsKey(group) ? tables.get(group).with(changed) : SlotTable.of(changed),
                (_, next) -> next));
        return small.orElse(before).withTables(tables).keepingRanking(before);
    }
}
