package dev.sluice.common.cluster;

import java.util.Optional;

/// @param policy the policy document in JSON, checked before it is stored
public record BucketProperties(
        Optional<BackendSpec> backend,
        Durability durability,
        Optional<String> policy,
        Optional<RoutePreference> route) {
    /// A bucket that owns its objects keeps them through a power cut; a cached one can fetch them again.
    public static BucketProperties defaults(Optional<BackendSpec> backend) {
        return new BucketProperties(
                backend, backend.isPresent() ? Durability.OS : Durability.FSYNC, Optional.empty(), Optional.empty());
    }

    public BucketProperties withPolicy(Optional<String> newPolicy) {
        return new BucketProperties(backend, durability, newPolicy, route);
    }
}
