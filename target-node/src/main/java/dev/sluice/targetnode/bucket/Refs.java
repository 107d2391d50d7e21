package dev.sluice.targetnode.bucket;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.record.BucketRef;

/// A bucket's properties in the storage's words.
public final class Refs {
    private Refs() {}

    public static BucketRef of(Bucket bucket) {
        return new BucketRef(bucket.id(), bucket.name());
    }

    public static Durability durability(Bucket bucket) {
        return switch (bucket.properties().durability()) {
            case FSYNC -> Durability.FSYNC;
            case OS -> Durability.OS;
        };
    }
}
