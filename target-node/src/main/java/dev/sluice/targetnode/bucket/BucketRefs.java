package dev.sluice.targetnode.bucket;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.CacheRules;
import dev.sluice.common.cluster.ClusterView;
import dev.sluice.common.erasure.ErasureCode;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.record.BucketRef;
import java.util.List;

/// A bucket's properties in the storage's words.
public final class BucketRefs {
    private BucketRefs() {}

    public static BucketRef of(Bucket bucket) {
        var properties = bucket.properties();
        return new BucketRef(
                bucket.id(),
                bucket.name(),
                properties.localCopies(),
                properties.replicas() > 1,
                properties.code().map(ErasureCode::floor).orElse(properties.minInSync()),
                properties.code());
    }

    /// The buckets whose objects a full drive may remove: the cloud has them too, and they are not pinned.
    public static List<BucketRef> evictable(ClusterView view) {
        return view.state().buckets().buckets().values().stream()
                .filter(bucket -> bucket.backed() && bucket.properties().cache().evict() == CacheRules.Evict.AUTO)
                .map(BucketRefs::of)
                .toList();
    }

    public static Durability durability(Bucket bucket) {
        return switch (bucket.properties().durability()) {
            case FSYNC -> Durability.FSYNC;
            case OS -> Durability.OS;
        };
    }
}
