package dev.sluice.targetnode.storage.eviction;

import dev.sluice.targetnode.storage.record.BucketRef;
import java.util.List;

/// The buckets whose objects here are copies of a cloud's, and may go to make room.
@FunctionalInterface
public interface CachedBuckets {
    /// @throws dev.sluice.common.store.StoreException.Unavailable while this node does not know
    List<BucketRef> now();

    /// Those of them that have more than they may, however much room the drives have.
    default List<QuotaExcess> tooLarge() {
        return List.of();
    }
}
