package dev.sluice.common.cluster;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Every bucket by name, and the id the next one gets.
///
/// @param removed buckets that are gone, name → id, but of which some target may still have files. On the drives these
///     lie under the name, so it cannot be given again before every target has dropped them
public record BucketTable(long nextId, SortedMap<String, Bucket> buckets, SortedMap<String, Long> removed) {
    public static final BucketTable EMPTY = new BucketTable(1, new TreeMap<>(), new TreeMap<>());

    public BucketTable {
        buckets = Collections.unmodifiableSortedMap(new TreeMap<>(buckets));
        removed = Collections.unmodifiableSortedMap(new TreeMap<>(removed));
    }

    /// @param removed missing in states that were written before it was kept
    @JsonCreator
    static BucketTable read(
            @JsonProperty("nextId") long nextId,
            @JsonProperty("buckets") SortedMap<String, Bucket> buckets,
            @JsonProperty("removed") @Nullable SortedMap<String, Long> removed) {
        return new BucketTable(nextId, buckets, removed == null ? new TreeMap<>() : removed);
    }

    public Optional<Bucket> find(String name) {
        return Optional.ofNullable(buckets.get(name));
    }

    /// Whether this bucket is gone and its files may not be.
    public boolean isRemoved(String name, long id) {
        return removed.getOrDefault(name, 0L) == id;
    }

    public BucketTable adding(String name, long nowMillis, BucketProperties properties, int group) {
        var next = new TreeMap<>(buckets);
        next.put(name, new Bucket(nextId, name, nowMillis, 0, properties, group));
        return new BucketTable(nextId + 1, next, removed);
    }

    public BucketTable with(Bucket changed) {
        var next = new TreeMap<>(buckets);
        next.put(changed.name(), changed);
        return new BucketTable(nextId, next, removed);
    }

    public BucketTable removing(Bucket bucket) {
        var left = new TreeMap<>(buckets);
        left.remove(bucket.name());
        var gone = new TreeMap<>(removed);
        gone.put(bucket.name(), bucket.id());
        return new BucketTable(nextId, left, gone);
    }

    public BucketTable forgetting(String name) {
        var gone = new TreeMap<>(removed);
        gone.remove(name);
        return new BucketTable(nextId, buckets, gone);
    }
}
