package dev.sluice.targetnode.object;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.targetnode.bucket.BucketRefs;
import dev.sluice.targetnode.coldfill.ColdFill;
import dev.sluice.targetnode.storage.ObjectStore;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.change.WriteCheck;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.slots.Lookup;
import java.util.Optional;

/// Damaged copies of what a cloud has. Bytes known bad are never sent; the bad file is kept, to be looked at, until the
/// cloud answers.
public final class DamagedCopies {
    private final ObjectStore store;
    private final ColdFill coldFill;

    public DamagedCopies(ObjectStore store, ColdFill coldFill) {
        this.store = store;
        this.coldFill = coldFill;
    }

    /// Makes a damaged copy again from another drive's.
    ///
    /// @return false when there is no other
    public boolean mend(BucketRef bucket, String key, String drive) {
        return store.mend(bucket, key, drive);
    }

    /// Whether the cloud behind this bucket has the object.
    ///
    /// @throws dev.sluice.common.store.StoreException when it does not answer, or refuses us
    public boolean isInCloud(Bucket bucket, String key) {
        return coldFill.isInCloud(bucket, key);
    }

    /// Drops a damaged copy, unless another one took its place.
    ///
    /// @param damaged its version, where that could be read
    /// @return false when another reader was faster
    public boolean drop(Bucket bucket, String key, Optional<ObjectVersion> damaged) {
        if (!isStillThere(BucketRefs.of(bucket), key, damaged)) {
            return false;
        }
        // synced, as each deletion of a copy: a power cut must not bring it back after a write through us
        store.delete(BucketRefs.of(bucket), key, WriteCheck.NONE, Durability.FSYNC);
        return true;
    }

    private boolean isStillThere(BucketRef bucket, String key, Optional<ObjectVersion> damaged) {
        return switch (store.lookup(bucket, key)) {
            case Lookup.Hit(var object) -> {
                object.close();
                yield damaged.equals(Optional.of(object.record().version()));
            }
            case Lookup.Damaged _ -> true;
            case Lookup.Miss(), Lookup.Unknown _ -> false;
        };
    }
}
