package dev.sluice.common.cluster;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// Every bucket by name, and the id the next one gets.
public record BucketTable(long nextId, SortedMap<String, Bucket> buckets) {
    public static final BucketTable EMPTY = new BucketTable(1, new TreeMap<>());

    public BucketTable {
        buckets = Collections.unmodifiableSortedMap(new TreeMap<>(buckets));
    }

    public Optional<Bucket> find(String name) {
        return Optional.ofNullable(buckets.get(name));
    }

    BucketTable adding(String name, long nowMillis, BucketProperties properties) {
        var next = new TreeMap<>(buckets);
        next.put(name, new Bucket(nextId, name, nowMillis, false, properties));
        return new BucketTable(nextId + 1, next);
    }

    BucketTable with(Bucket changed) {
        var next = new TreeMap<>(buckets);
        next.put(changed.name(), changed);
        return new BucketTable(nextId, next);
    }

    BucketTable without(String name) {
        var next = new TreeMap<>(buckets);
        next.remove(name);
        return new BucketTable(nextId, next);
    }
}
