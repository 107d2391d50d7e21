package dev.sluice.common.cluster;

import java.util.Collection;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/// Every bucket by name, and those that are gone but of which some drive may have files. On the drives these lie under
/// the name. So the name is given again only when each drive that can be used has dropped them, and no other drive is
/// used before it has.
///
/// @param nextId the number of the next bucket, or of the next removal
/// @param removed buckets that are gone, by the number of their removal. One is forgotten when no drive is behind it
/// @param behind drives that may have files of such buckets: up to which removal each has dropped all. All others have
///     dropped all
public record BucketTable(
        long nextId,
        SortedMap<String, Bucket> buckets,
        SortedMap<Long, Removed> removed,
        SortedMap<String, Long> behind) {
    public static final BucketTable EMPTY = new BucketTable(1, new TreeMap<>(), new TreeMap<>(), new TreeMap<>());

    /// A bucket that is gone.
    public record Removed(long id, String name) {}

    public BucketTable {
        buckets = Collections.unmodifiableSortedMap(new TreeMap<>(buckets));
        removed = Collections.unmodifiableSortedMap(new TreeMap<>(removed));
        behind = Collections.unmodifiableSortedMap(new TreeMap<>(behind));
    }

    public Optional<Bucket> find(String name) {
        return Optional.ofNullable(buckets.get(name));
    }

    /// Whether this bucket is gone and its files may not be.
    public boolean isRemoved(String name, long id) {
        return removed.containsValue(new Removed(id, name));
    }

    /// The number of the last removal of a bucket with this name that some drive may be behind; 0 for none.
    public long lastRemoval(String name) {
        return removed.entrySet().stream()
                .filter(entry -> entry.getValue().name().equals(name))
                .mapToLong(entry -> entry.getKey())
                .max()
                .orElse(0);
    }

    /// What a drive that has dropped all has dropped; 0 when there is nothing to drop.
    public long newestRemoval() {
        return removed.isEmpty() ? 0 : removed.lastKey();
    }

    /// Whether no drive that can be used may have files of another bucket of this name.
    ///
    /// @param usable by the drive's id
    public boolean isFree(String name, Predicate<String> usable) {
        long last = lastRemoval(name);
        return behind.entrySet().stream().noneMatch(entry -> entry.getValue() < last && usable.test(entry.getKey()));
    }

    public BucketTable adding(String name, long nowMillis, BucketProperties properties, int group) {
        var next = new TreeMap<>(buckets);
        next.put(name, new Bucket(nextId, name, nowMillis, 0, properties, group));
        return new BucketTable(nextId + 1, next, removed, behind);
    }

    public BucketTable with(Bucket changed) {
        var next = new TreeMap<>(buckets);
        next.put(changed.name(), changed);
        return new BucketTable(nextId, next, removed, behind);
    }

    /// @param drives those that may have files of it: all that the cluster knows
    public BucketTable removing(Bucket bucket, Collection<String> drives) {
        var left = new TreeMap<>(buckets);
        left.remove(bucket.name());
        var gone = new TreeMap<>(removed);
        gone.put(nextId, new Removed(bucket.id(), bucket.name()));
        var late = new TreeMap<>(behind);
        drives.forEach(drive -> late.putIfAbsent(drive, nextId - 1));
        return new BucketTable(nextId + 1, left, gone, late).whereBehind(late);
    }

    /// Whether a drive that has dropped all up to a removal may have files of a bucket whose name is another one's now.
    public boolean isBehindANewBucket(long upTo) {
        return removed.tailMap(upTo + 1).values().stream().anyMatch(gone -> buckets.containsKey(gone.name()));
    }

    /// Drives have dropped all buckets that are gone, up to a removal. The same object when that is known.
    public BucketTable dropped(Set<String> drives, long upTo) {
        var late = new TreeMap<>(behind);
        for (var drive : drives) {
            late.computeIfPresent(drive, (_, before) -> upTo < newestRemoval() ? Math.max(before, upTo) : null);
        }
        return late.equals(behind) ? this : whereBehind(late);
    }

    /// This drive takes part from now on, and has dropped all up to a removal.
    public BucketTable registering(String drive, long upTo) {
        var late = new TreeMap<>(behind);
        if (upTo < newestRemoval()) {
            late.merge(drive, upTo, Math::max);
        } else {
            late.remove(drive);
        }
        return late.equals(behind) ? this : whereBehind(late);
    }

    /// What these drives have counts no more.
    public BucketTable forgetting(Set<String> drives) {
        var late = new TreeMap<>(behind);
        late.keySet().removeAll(drives);
        return late.equals(behind) ? this : whereBehind(late);
    }

    private BucketTable whereBehind(SortedMap<String, Long> late) {
        long all = late.values().stream().mapToLong(Long::longValue).min().orElse(Long.MAX_VALUE);
        var left = new TreeMap<>(removed);
        left.keySet().removeIf(number -> number <= all);
        return new BucketTable(nextId, buckets, left, late);
    }
}
