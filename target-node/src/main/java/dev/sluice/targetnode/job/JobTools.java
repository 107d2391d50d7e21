package dev.sluice.targetnode.job;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.jobs.JobSpec;
import dev.sluice.common.jobs.JobState;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.bucket.BucketRefs;
import dev.sluice.targetnode.coldfill.BucketBackends;
import dev.sluice.targetnode.coldfill.ColdFill;
import dev.sluice.targetnode.coldfill.Revalidation;
import dev.sluice.targetnode.quota.Quotas;
import dev.sluice.targetnode.storage.ObjectStore;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.slots.Lookup;
import java.util.Optional;

/// What jobs work with on this target.
///
/// @param room shared by all jobs of this target
public record JobTools(
        NodeId self,
        ClusterViews views,
        ObjectStore store,
        ColdFill coldFill,
        Revalidation revalidation,
        BucketBackends backends,
        Quotas quotas,
        FillRoom room) {
    public static JobTools of(
            NodeId self,
            ClusterViews views,
            ObjectStore store,
            ColdFill coldFill,
            Revalidation revalidation,
            BucketBackends backends,
            Quotas quotas) {
        return new JobTools(self, views, store, coldFill, revalidation, backends, quotas, new FillRoom());
    }

    Bucket bucket(JobSpec spec) {
        return bucket(views, spec);
    }

    /// As it is now: its properties may change while the job runs.
    ///
    /// @throws JobEnded when it is gone
    static Bucket bucket(ClusterViews views, JobSpec spec) {
        return views.current()
                .bucket(spec.bucket())
                .filter(bucket -> bucket.id() == spec.bucketId() && bucket.backed())
                .orElseThrow(() -> new JobEnded(JobState.FAILED, "the bucket " + spec.bucket() + " was deleted"));
    }

    /// Whether this target is the primary of a key.
    boolean isPrimary(Bucket bucket, String key) {
        return views.current().primary(bucket, key).id().equals(self);
    }

    /// @throws StoreException.Unavailable when it cannot be known now
    Optional<ObjectRecord> stored(Bucket bucket, String key) {
        return switch (store.lookup(BucketRefs.of(bucket), key)) {
            case Lookup.Hit(var object) -> {
                object.close();
                yield Optional.of(object.record());
            }
            case Lookup.Miss() -> Optional.empty();
            case Lookup.Damaged(var why) ->
                throw new StoreException.Damaged("the cached object is damaged, a read repairs it: " + why);
            case Lookup.Unknown(var why) -> throw new StoreException.Unavailable(why);
        };
    }

    /// Whether a cached object is that of the cloud.
    ///
    /// @throws StoreException when the cloud does not say
    boolean isCurrent(Bucket bucket, ObjectRecord stored) {
        return revalidation
                .inCloud(bucket, stored.key())
                .filter(there -> Revalidation.isSame(there, stored))
                .isPresent();
    }

    /// Room for an object that evicts nothing; to be closed when it is stored.
    ///
    /// @throws JobEnded as full
    FillRoom.Taken room(Bucket bucket, String key, long bytes) throws InterruptedException {
        return room.take(
                bytes,
                () -> left(bucket, key),
                "%s does not fit below the high watermark of its drive, or the bucket's quota: delete objects, or add drives"
                        .formatted(key));
    }

    /// How much fits beside what is being stored. An object may take room on several drives.
    private long left(Bucket bucket, String key) {
        int copies = bucket.properties().localCopies();
        return Math.min(store.roomBeforeEviction(BucketRefs.of(bucket), key), quotas.beforeEviction(bucket) / copies);
    }
}
