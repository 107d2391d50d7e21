package dev.sluice.common.cluster;

import dev.sluice.common.auth.AccessKey;
import dev.sluice.common.auth.BucketPolicy;
import dev.sluice.common.auth.KeyRing;
import dev.sluice.common.s3.S3Failure;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One cluster state and what follows from it, made once for each state. A request reads one view and keeps to it.
public record ClusterView(ClusterState state, Routing routing, KeyRing keys, Map<Long, BucketPolicy> policies) {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterView.class);

    public static ClusterView of(ClusterState state) {
        return of(state, Routing.of(state.map()), BucketTable.EMPTY, Map.of());
    }

    /// The view of a newer state; what did not change is kept.
    ClusterView next(ClusterState newer) {
        return of(
                newer, newer.map().equals(state.map()) ? routing : Routing.of(newer.map()), state.buckets(), policies);
    }

    private static ClusterView of(
            ClusterState state, Routing routing, BucketTable before, Map<Long, BucketPolicy> policiesBefore) {
        var keys = KeyRing.of(state.credentials().entrySet().stream()
                .map(entry -> new AccessKey(entry.getKey(), entry.getValue()))
                .toList());
        var policies = new HashMap<Long, BucketPolicy>();
        for (var bucket : state.buckets().buckets().values()) {
            bucket.properties().policy().ifPresent(json -> {
                boolean same = before.find(bucket.name())
                        .filter(earlier -> earlier.id() == bucket.id())
                        .filter(earlier -> earlier.properties().policy().equals(Optional.of(json)))
                        .isPresent();
                policies.put(bucket.id(), same ? policiesBefore.get(bucket.id()) : compiled(bucket, json));
            });
        }
        return new ClusterView(state, routing, keys, Map.copyOf(policies));
    }

    /// A policy that cannot be read (damaged, or a newer Sluice's) closes its bucket, and no other.
    private static BucketPolicy compiled(Bucket bucket, String json) {
        try {
            return BucketPolicy.parse(bucket.name(), json.getBytes(StandardCharsets.UTF_8));
        } catch (S3Failure unreadable) {
            LOG.error(
                    "the policy of bucket {} cannot be read: {} The bucket is closed until a policy is put or deleted",
                    bucket.name(),
                    unreadable.getMessage());
            return BucketPolicy.CLOSED;
        }
    }

    public long version() {
        return state.version();
    }

    public Optional<Bucket> bucket(String name) {
        return state.buckets().find(name);
    }

    public Optional<BucketPolicy> policy(Bucket bucket) {
        return Optional.ofNullable(policies.get(bucket.id()));
    }
}
