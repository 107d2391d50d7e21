package dev.sluice.common.cluster;

import dev.sluice.common.cluster.slots.Durability;
import dev.sluice.common.cluster.slots.Group;
import dev.sluice.common.erasure.ErasureCode;
import dev.sluice.common.erasure.SliceLayout;
import dev.sluice.common.s3.BucketDocument;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// @param documents what it is configured with, by the names of [BucketDocument]: checked before they are stored
/// @param localCopies how many drives of its target keep each object, as far as the target has so many
/// @param replicas how many targets keep each object, or a slice of it
/// @param data how many of them make an object: 1 where each has all of it
/// @param minInSync with how few in-sync replicas a write is acknowledged; at most `replicas`. Of slices 1: the code
///     says how many
/// @param quota how many bytes the bucket's objects may take on the cluster's drives, each copy counted
/// @param cache of a bucket with a backend
/// @param expireAfter how long after it was written an object is deleted
public record BucketProperties(
        Optional<BackendSpec> backend,
        Durability durability,
        SortedMap<String, String> documents,
        Optional<RoutePreference> route,
        int localCopies,
        int replicas,
        int data,
        int minInSync,
        Optional<Long> quota,
        CacheRules cache,
        Optional<Duration> expireAfter) {
    public static final int MAX_LOCAL_COPIES = 8;
    public static final SortedMap<String, String> NO_DOCUMENTS = Collections.emptySortedMap();
    public static final Duration SHORTEST_LIFE = Duration.ofMinutes(1);
    public static final Duration LONGEST_LIFE = Duration.ofDays(36_500);
    private static final int ONE_COPY = 1;
    private static final int WHOLE = 1;

    public BucketProperties {
        if (localCopies < 1 || localCopies > MAX_LOCAL_COPIES) {
            throw new IllegalArgumentException(
                    "local_copies must be from 1 to %d, not %d".formatted(MAX_LOCAL_COPIES, localCopies));
        }
        if (data > WHOLE) {
            requireCode(new ErasureCode(data, replicas - data), backend, durability, localCopies, minInSync);
        } else if (replicas < 1 || replicas > Group.MOST_REPLICAS) {
            throw new IllegalArgumentException(
                    "replicas must be from 1 to %d, not %d".formatted(Group.MOST_REPLICAS, replicas));
        }
        if (replicas > 1 && backend.isPresent()) {
            throw new IllegalArgumentException(
                    "a bucket with a backend has one replica, not %d: its backend has the objects too"
                            .formatted(replicas));
        }
        if (replicas > 1 && localCopies > 1) {
            throw new IllegalArgumentException("local_copies with replicas is not implemented yet");
        }
        if (minInSync < 1 || minInSync > replicas) {
            throw new IllegalArgumentException(
                    "min_in_sync must be from 1 to the number of replicas, %d, not %d".formatted(replicas, minInSync));
        }
        if (quota.isPresent() && quota.get() < 1) {
            throw new IllegalArgumentException("quota must be from 1 to %d bytes, or null for none, not %d"
                    .formatted(Long.MAX_VALUE, quota.get()));
        }
        if (backend.isEmpty() && !cache.equals(CacheRules.USUAL)) {
            throw new IllegalArgumentException(
                    "revalidate, evict and cold_range are for buckets with a backend: this one owns its objects");
        }
        expireAfter.ifPresent(life -> requireLife(life, backend));
        documents = Collections.unmodifiableSortedMap(new TreeMap<>(documents));
    }

    private static void requireLife(Duration life, Optional<BackendSpec> backend) {
        if (life.compareTo(SHORTEST_LIFE) < 0 || life.compareTo(LONGEST_LIFE) > 0) {
            throw new IllegalArgumentException(
                    "expire_after must be from 1m to 36500d, or null for never, not %d s".formatted(life.toSeconds()));
        }
        if (backend.isPresent()) {
            throw new IllegalArgumentException(
                    "expire_after is for buckets that own their objects: it would delete them in the cloud");
        }
    }

    private static void requireSmall(SortedMap<String, String> documents) {
        int all = 0;
        for (var each : documents.entrySet()) {
            int size = each.getValue().getBytes(StandardCharsets.UTF_8).length;
            if (size > BucketDocument.LARGEST) {
                throw new IllegalArgumentException(
                        "%s must have at most %d bytes, not %d".formatted(each.getKey(), BucketDocument.LARGEST, size));
            }
            all += size;
        }
        if (all > BucketDocument.LARGEST_OF_ALL) {
            throw new IllegalArgumentException(
                    "the documents of a bucket (%s) must have at most %d bytes together, not %d"
                            .formatted(String.join(", ", documents.keySet()), BucketDocument.LARGEST_OF_ALL, all));
        }
    }

    private static void requireCode(
            ErasureCode code, Optional<BackendSpec> backend, Durability durability, int localCopies, int minInSync) {
        if (backend.isPresent()) {
            throw new IllegalArgumentException(
                    "a bucket with a backend has no erasure code: its backend has the objects too");
        }
        if (durability != Durability.FSYNC) {
            throw new IllegalArgumentException("a bucket with an erasure code has durability fsync");
        }
        if (localCopies > ONE_COPY || minInSync > ONE_COPY) {
            throw new IllegalArgumentException(
                    "a bucket with an erasure code has no %s: %s says what there is of an object"
                            .formatted(minInSync > ONE_COPY ? "min_in_sync" : "local_copies", code));
        }
    }

    /// Of whole objects.
    public BucketProperties(
            Optional<BackendSpec> backend,
            Durability durability,
            SortedMap<String, String> documents,
            Optional<RoutePreference> route,
            int localCopies,
            int replicas,
            int minInSync,
            Optional<Long> quota,
            CacheRules cache) {
        this(
                backend,
                durability,
                documents,
                route,
                localCopies,
                replicas,
                WHOLE,
                minInSync,
                quota,
                cache,
                Optional.empty());
    }

    /// Without documents, and with the usual rules for cached objects.
    public BucketProperties(
            Optional<BackendSpec> backend,
            Durability durability,
            Optional<RoutePreference> route,
            int localCopies,
            int replicas,
            Optional<Long> quota) {
        this(backend, durability, NO_DOCUMENTS, route, localCopies, replicas, ONE_COPY, quota, CacheRules.USUAL);
    }

    /// A bucket that owns its objects keeps them through a power cut; a cached one can fetch them again.
    public static BucketProperties defaults(Optional<BackendSpec> backend) {
        return new BucketProperties(
                backend,
                backend.isPresent() ? Durability.OS : Durability.FSYNC,
                Optional.empty(),
                ONE_COPY,
                ONE_COPY,
                Optional.empty());
    }

    /// The code, where each replica has a slice of an object.
    public Optional<ErasureCode> code() {
        return data > WHOLE ? Optional.of(new ErasureCode(data, replicas - data)) : Optional.empty();
    }

    /// How many bytes an object takes on all targets together.
    ///
    /// @param size of the object
    public long taken(long size) {
        return code().map(code -> new SliceLayout(code, size).total()).orElse(size * replicas);
    }

    /// The same without one of them, as a rule its primary.
    public long takenElsewhere(long size) {
        return taken(size)
                - code().map(code -> new SliceLayout(code, size).sliceSize(0)).orElse(size);
    }

    /// Of whole objects.
    public BucketProperties withReplicas(int newReplicas) {
        return new BucketProperties(
                backend,
                durability,
                documents,
                route,
                localCopies,
                newReplicas,
                WHOLE,
                Math.min(minInSync, newReplicas),
                quota,
                cache,
                expireAfter);
    }

    /// Whether objects written under the other properties are where these have them. If not, only an empty bucket can
    /// change from one to the other.
    public boolean replicatesAs(BucketProperties other) {
        return replicas == other.replicas && data == other.data && (replicas == 1 || durability == other.durability);
    }

    public Optional<String> document(BucketDocument kind) {
        return Optional.ofNullable(documents.get(kind.title()));
    }

    /// @param text empty for none
    /// @throws IllegalArgumentException when it, or all documents together, are too large
    public BucketProperties with(BucketDocument kind, Optional<String> text) {
        var changed = new TreeMap<>(documents);
        changed.remove(kind.title());
        text.ifPresent(some -> changed.put(kind.title(), some));
        requireSmall(changed);
        return new BucketProperties(
                backend, durability, changed, route, localCopies, replicas, data, minInSync, quota, cache, expireAfter);
    }
}
