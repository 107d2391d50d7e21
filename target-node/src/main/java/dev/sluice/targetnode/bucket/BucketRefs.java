package dev.sluice.targetnode.bucket;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.ClusterView;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.record.BucketRef;
import java.util.List;

/// A bucket's properties in the storage's words.
public final class BucketRefs {
    private BucketRefs() {}

    public static BucketRef of(Bucket bucket) {
        var properties = bucket.properties();
        return new BucketRef(bucket.id(), bucket.name(), properties.localCopies(), properties.replicas() > 1);
    }

    /// The buckets whose objects here are copies of a cloud's.
    public static List<BucketRef> cached(ClusterView view) {
        return view.state().buckets().buckets().values().stream()
                .filter(Bucket::backed)
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
