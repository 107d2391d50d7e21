package dev.sluice.targetnode.quota;

import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.targetnode.bucket.BucketRefs;
import dev.sluice.targetnode.storage.eviction.CachedBuckets;
import dev.sluice.targetnode.storage.eviction.QuotaExcess;
import dev.sluice.targetnode.storage.record.BucketRef;
import java.util.List;

/// What eviction is told of the cluster's buckets.
public record EvictedBuckets(ClusterViews views, Quotas quotas) implements CachedBuckets {
    @Override
    public List<BucketRef> now() {
        return BucketRefs.evictable(views.current());
    }

    @Override
    public List<QuotaExcess> tooLarge() {
        return quotas.tooLarge();
    }
}
