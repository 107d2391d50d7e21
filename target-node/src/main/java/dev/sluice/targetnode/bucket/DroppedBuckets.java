package dev.sluice.targetnode.bucket;

import dev.sluice.common.cluster.BucketTable.Removed;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.targetnode.storage.ObjectStore;
import dev.sluice.targetnode.storage.drive.Drive;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/// Up to which removal of a bucket each drive of this target has dropped all files of buckets that are gone.
public final class DroppedBuckets {
    /// The last removal of each name, for every write asks.
    private record Names(SortedMap<Long, Removed> of, Map<String, Long> last) {
        static Names of(SortedMap<Long, Removed> removed) {
            var last = new HashMap<String, Long>();
            removed.forEach((number, bucket) -> last.put(bucket.name(), number));
            return new Names(removed, last);
        }
    }

    private final ObjectStore store;
    private final Map<Drive, Long> here = new ConcurrentHashMap<>(); // by this process
    private volatile Names names = Names.of(new TreeMap<>());

    public DroppedBuckets(ObjectStore store) {
        this.store = store;
    }

    /// Since it was opened, or before, as the controllers know.
    long upTo(ClusterState state, String id, Drive drive) {
        long now = here.getOrDefault(drive, 0L);
        var replication = state.replication();
        boolean isKnown = replication.drives().find(id).isPresent()
                && !replication.forgotten().contains(id);
        var table = state.buckets();
        return isKnown ? Math.max(now, table.behind().getOrDefault(id, table.newestRemoval())) : now;
    }

    void dropped(Drive drive, long upTo) {
        here.keySet().removeIf(each -> !each.ready());
        here.merge(drive, upTo, Math::max);
    }

    /// Whether no drive that takes writes has files of another bucket that had this name before.
    public boolean isFree(ClusterState state, String name) {
        var removed = state.buckets().removed();
        if (removed.isEmpty()) {
            return true;
        }
        long last = lastRemoval(removed, name);
        return last == 0
                || store.drives().slots().stream()
                        .allMatch(slot -> slot.writable()
                                .map(drive -> upTo(state, slot.id(), drive) >= last)
                                .orElse(true));
    }

    @SuppressWarnings("ReferenceEquality") // another map, with the same in it, is only looked at once more
    private long lastRemoval(SortedMap<Long, Removed> removed, String name) {
        var known = names;
        if (known.of != removed) {
            known = Names.of(removed);
            names = known;
        }
        return known.last.getOrDefault(name, 0L);
    }
}
