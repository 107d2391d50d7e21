package dev.sluice.common.cluster;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/// What an entry of the log changes of the table of buckets.
///
/// @param whole whether these are the whole table, as earlier builds logged it
/// @param nextId of the table after it
/// @param buckets those that changed, by name; empty for one that is no more
/// @param removed the same of the buckets that are gone but may have files
public record BucketChanges(
        boolean whole,
        long nextId,
        SortedMap<String, Optional<Bucket>> buckets,
        SortedMap<String, Optional<Long>> removed) {
    public BucketChanges {
        buckets = Collections.unmodifiableSortedMap(new TreeMap<>(buckets));
        removed = Collections.unmodifiableSortedMap(new TreeMap<>(removed));
    }

    static Optional<BucketChanges> between(BucketTable before, BucketTable after) {
        var changes = new BucketChanges(
                false,
                after.nextId(),
                between(before.buckets(), after.buckets()),
                between(before.removed(), after.removed()));
        boolean same = before.nextId() == after.nextId() && changes.buckets.isEmpty() && changes.removed.isEmpty();
        return same ? Optional.empty() : Optional.of(changes);
    }

    /// Of a table that replaces the one before it.
    static BucketChanges all(BucketTable table) {
        return new BucketChanges(
                true,
                table.nextId(),
                between(new TreeMap<>(), table.buckets()),
                between(new TreeMap<>(), table.removed()));
    }

    private static <V> SortedMap<String, Optional<V>> between(SortedMap<String, V> before, SortedMap<String, V> after) {
        var names = new TreeSet<>(before.keySet());
        names.addAll(after.keySet());
        var changes = new TreeMap<String, Optional<V>>();
        for (var name : names) {
            var now = Optional.ofNullable(after.get(name));
            if (!now.equals(Optional.ofNullable(before.get(name)))) {
                changes.put(name, now);
            }
        }
        return changes;
    }

    BucketTable appliedTo(BucketTable table) {
        return new BucketTable(
                nextId,
                changed(whole ? new TreeMap<>() : table.buckets(), buckets),
                changed(whole ? new TreeMap<>() : table.removed(), removed));
    }

    private static <V> SortedMap<String, V> changed(
            SortedMap<String, V> before, SortedMap<String, Optional<V>> changes) {
        if (changes.isEmpty()) {
            return before;
        }
        var next = new TreeMap<>(before);
        changes.forEach((name, now) -> now.ifPresentOrElse(value -> next.put(name, value), () -> next.remove(name)));
        return next;
    }
}
