package dev.sluice.common.cluster;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.sluice.common.cluster.slots.Durability;
import dev.sluice.common.cluster.slots.Group;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// @param policy the policy document in JSON, checked before it is stored
/// @param localCopies how many drives of its target keep each object, as far as the target has so many
/// @param replicas how many targets keep each object
/// @param minInSync with how few in-sync replicas a write is acknowledged; at most `replicas`
/// @param quota how many bytes the bucket's objects may take on the cluster's drives, each copy counted
/// @param cache of a bucket with a backend
public record BucketProperties(
        Optional<BackendSpec> backend,
        Durability durability,
        Optional<String> policy,
        Optional<RoutePreference> route,
        int localCopies,
        int replicas,
        int minInSync,
        Optional<Long> quota,
        CacheRules cache) {
    public static final int MAX_LOCAL_COPIES = 8;
    private static final int ONE_COPY = 1;

    public BucketProperties {
        if (localCopies < 1 || localCopies > MAX_LOCAL_COPIES) {
            throw new IllegalArgumentException(
                    "local_copies must be from 1 to %d, not %d".formatted(MAX_LOCAL_COPIES, localCopies));
        }
        if (replicas < 1 || replicas > Group.MOST_REPLICAS) {
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
    }

    /// With the usual rules for cached objects.
    public BucketProperties(
            Optional<BackendSpec> backend,
            Durability durability,
            Optional<String> policy,
            Optional<RoutePreference> route,
            int localCopies,
            int replicas,
            Optional<Long> quota) {
        this(backend, durability, policy, route, localCopies, replicas, ONE_COPY, quota, CacheRules.USUAL);
    }

    /// @param localCopies missing in states that were written before there was a choice
    /// @param replicas likewise
    /// @param minInSync likewise
    /// @param quota likewise
    /// @param cache likewise
    @JsonCreator
    static BucketProperties read(
            @JsonProperty("backend") Optional<BackendSpec> backend,
            @JsonProperty("durability") Durability durability,
            @JsonProperty("policy") Optional<String> policy,
            @JsonProperty("route") Optional<RoutePreference> route,
            @JsonProperty("localCopies") @Nullable Integer localCopies,
            @JsonProperty("replicas") @Nullable Integer replicas,
            @JsonProperty("minInSync") @Nullable Integer minInSync,
            @JsonProperty("quota") @Nullable Long quota,
            @JsonProperty("cache") @Nullable CacheRules cache) {
        return new BucketProperties(
                backend,
                durability,
                policy,
                route,
                localCopies == null ? ONE_COPY : localCopies,
                replicas == null ? ONE_COPY : replicas,
                minInSync == null ? ONE_COPY : minInSync,
                Optional.ofNullable(quota),
                cache == null ? CacheRules.USUAL : cache);
    }

    /// A bucket that owns its objects keeps them through a power cut; a cached one can fetch them again.
    public static BucketProperties defaults(Optional<BackendSpec> backend) {
        return new BucketProperties(
                backend,
                backend.isPresent() ? Durability.OS : Durability.FSYNC,
                Optional.empty(),
                Optional.empty(),
                ONE_COPY,
                ONE_COPY,
                Optional.empty());
    }

    public BucketProperties withReplicas(int newReplicas) {
        return new BucketProperties(
                backend,
                durability,
                policy,
                route,
                localCopies,
                newReplicas,
                Math.min(minInSync, newReplicas),
                quota,
                cache);
    }

    /// Whether objects written under the other properties are where these have them. If not, only an empty bucket can
    /// change from one to the other.
    public boolean replicatesAs(BucketProperties other) {
        return replicas == other.replicas && (replicas == 1 || durability == other.durability);
    }

    public BucketProperties withPolicy(Optional<String> newPolicy) {
        return new BucketProperties(
                backend, durability, newPolicy, route, localCopies, replicas, minInSync, quota, cache);
    }
}
