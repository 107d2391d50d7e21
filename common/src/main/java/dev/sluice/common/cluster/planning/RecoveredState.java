package dev.sluice.common.cluster.planning;

import dev.sluice.common.cluster.BucketTable;
import dev.sluice.common.cluster.ClusterMap;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.slots.DriveEntry;
import dev.sluice.common.cluster.slots.DriveTable;
import dev.sluice.common.cluster.slots.Generation;
import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.Replication;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.common.cluster.slots.SlotTable;
import dev.sluice.common.cluster.slots.TargetEntry;
import java.time.Instant;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/// The state with which a log begins again from a copy that may lack its last entries.
///
/// Each number that the log gives is raised: versions, epochs, incarnations, boot numbers, ids of buckets. So none that
/// it will give is one that a lost entry gave, as long as fewer entries were lost. All numbers of a kind are raised
/// alike, so what is compared with each other compares as before. A process that still runs has an incarnation of
/// before the raise, and counts no more. All else is as in the copy.
///
/// How far depends on the time of the recovery: another one, a while later and from another copy, gives none of the
/// numbers that this one gave.
public final class RecoveredState {
    /// By so much at least. It is more than the entries that can be lost: at a hundred a second, those of three hours.
    private static final int RAISE = 1 << 20;

    private static final Instant BEGIN = Instant.parse("2020-01-01T00:00:00Z");

    /// A clock that says less is wrong.
    public static final Instant EARLIEST = Instant.parse("2026-01-01T00:00:00Z");

    private final long raise;
    private final int intRaise;

    private RecoveredState(ClusterState copy, Instant now) {
        long seconds = now.getEpochSecond() - BEGIN.getEpochSecond();
        int last = copy.replication().lastIncarnation();
        raise = Generation.LENGTH * (1 + Math.max(0, seconds - Generation.of(copy.version())));
        intRaise = Math.toIntExact(RAISE + Math.max(0, seconds - last));
    }

    /// @param now not before [#EARLIEST], nor before an earlier recovery
    public static ClusterState of(ClusterState copy, Instant now) {
        return new RecoveredState(copy, now).all(copy);
    }

    private ClusterState all(ClusterState copy) {
        var map = copy.map();
        var buckets = copy.buckets();
        return new ClusterState(
                copy.version() + raise,
                copy.clusterId(),
                copy.members(),
                new ClusterMap(map.version() + raise, map.nodes()),
                new BucketTable(buckets.nextId() + raise, buckets.buckets(), buckets.removed(), buckets.behind()),
                copy.credentials(),
                raised(copy.replication()),
                copy.jobs());
    }

    private Replication raised(Replication copy) {
        var tables = new HashMap<Integer, SlotTable>();
        copy.tables().forEach((group, table) -> tables.put(group, raised(table)));
        return new Replication(
                raised(copy.lastIncarnation()),
                each(copy.targets(), this::raised),
                new DriveTable(each(copy.drives().entries(), this::raised)),
                each(copy.controllers(), this::raised),
                copy.groups(),
                copy.forgotten(),
                tables);
    }

    private static <K, V> SortedMap<K, V> each(SortedMap<K, V> all, UnaryOperator<V> change) {
        var changed = new TreeMap<>(all);
        changed.replaceAll((_, value) -> change.apply(value));
        return changed;
    }

    private int raised(int number) {
        return Math.addExact(number, intRaise);
    }

    private TargetEntry raised(TargetEntry copy) {
        return new TargetEntry(
                raised(copy.incarnation()),
                copy.nonce(),
                copy.bootId(),
                copy.up(),
                copy.version() + raise,
                copy.muted());
    }

    private DriveEntry raised(DriveEntry copy) {
        return new DriveEntry(copy.target(), copy.weight(), copy.out(), raised(copy.incarnation()), copy.nonce());
    }

    /// Rows that are one object stay one.
    private SlotTable raised(SlotTable copy) {
        var known = new IdentityHashMap<SlotRow, SlotRow>();
        var rows = copy.copy();
        for (int slot = 0; slot < rows.length; slot++) {
            rows[slot] = known.computeIfAbsent(rows[slot], this::raised);
        }
        return SlotTable.of(rows);
    }

    private SlotRow raised(SlotRow copy) {
        return new SlotRow(
                copy.epoch() + raise,
                copy.members().stream().map(this::raised).toList(),
                copy.primarySince() + raise,
                copy.driveSince() + raise,
                copy.fence(),
                copy.opened());
    }

    private Member raised(Member copy) {
        return copy.with(copy.inSync(), raised(copy.incarnation()), copy.since() + raise);
    }
}
