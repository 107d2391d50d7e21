package dev.sluice.common.cluster;

import dev.sluice.common.auth.AccessKey;
import dev.sluice.common.auth.BucketPolicy;
import dev.sluice.common.auth.KeyRing;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// One cluster state and what follows from it, made once for each state. A request reads one view and keeps to it.
public record ClusterView(ClusterState state, Routing routing, KeyRing keys, Map<Long, BucketPolicy> policies) {

    public static ClusterView of(ClusterState state) {
        return of(state, Routing.of(state.map()));
    }

    /// The view of a newer state; what did not change is kept.
    ClusterView next(ClusterState newer) {
        return of(newer, newer.map().equals(state.map()) ? routing : Routing.of(newer.map()));
    }

    private static ClusterView of(ClusterState state, Routing routing) {
        var keys = KeyRing.of(state.credentials().entrySet().stream()
                .map(entry -> new AccessKey(entry.getKey(), entry.getValue()))
                .toList());
        var policies = new HashMap<Long, BucketPolicy>();
        for (var bucket : state.buckets().buckets().values()) {
            bucket.properties()
                    .policy()
                    .ifPresent(json -> policies.put(
                            bucket.id(), BucketPolicy.parse(bucket.name(), json.getBytes(StandardCharsets.UTF_8))));
        }
        return new ClusterView(state, routing, keys, Map.copyOf(policies));
    }

    public Optional<Bucket> bucket(String name) {
        return state.buckets().find(name);
    }

    public Optional<BucketPolicy> policy(Bucket bucket) {
        return Optional.ofNullable(policies.get(bucket.id()));
    }
}
