package dev.sluice.common.cluster;

import dev.sluice.common.cluster.BucketTable.Removed;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/// What an entry of the log changes of the table of buckets.
///
/// @param nextId of the table after it
/// @param buckets those that changed, by name; empty for one that is no more
/// @param removed the same of the buckets that are gone but may have files
/// @param behind the same of the drives that may have them
public record BucketChanges(
        long nextId,
        SortedMap<String, Optional<Bucket>> buckets,
        SortedMap<Long, Optional<Removed>> removed,
        SortedMap<String, Optional<Long>> behind) {
    public BucketChanges {
        buckets = Collections.unmodifiableSortedMap(new TreeMap<>(buckets));
        removed = Collections.unmodifiableSortedMap(new TreeMap<>(removed));
        behind = Collections.unmodifiableSortedMap(new TreeMap<>(behind));
    }

    static Optional<BucketChanges> between(BucketTable before, BucketTable after) {
        return before.equals(after)
                ? Optional.empty()
                : Optional.of(new BucketChanges(
                        after.nextId(),
                        between(before.buckets(), after.buckets()),
                        between(before.removed(), after.removed()),
                        between(before.behind(), after.behind())));
    }

    private static <K extends Comparable<K>, V> SortedMap<K, Optional<V>> between(
            SortedMap<K, V> before, SortedMap<K, V> after) {
        var keys = new TreeSet<>(before.keySet());
        keys.addAll(after.keySet());
        var changes = new TreeMap<K, Optional<V>>();
        for (var key : keys) {
            var now = Optional.ofNullable(after.get(key));
            if (!now.equals(Optional.ofNullable(before.get(key)))) {
                changes.put(key, now);
            }
        }
        return changes;
    }

    BucketTable appliedTo(BucketTable table) {
        return new BucketTable(
                nextId,
                changed(table.buckets(), buckets),
                changed(table.removed(), removed),
                changed(table.behind(), behind));
    }

    private static <K extends Comparable<K>, V> SortedMap<K, V> changed(
            SortedMap<K, V> before, SortedMap<K, Optional<V>> changes) {
        if (changes.isEmpty()) {
            return before;
        }
        var next = new TreeMap<>(before);
        changes.forEach((key, now) -> now.ifPresentOrElse(value -> next.put(key, value), () -> next.remove(key)));
        return next;
    }
}
