package dev.sluice.targetnode.job;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.CacheRules;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.jobs.JobSpec;
import dev.sluice.common.jobs.JobState;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.bucket.BucketRefs;
import dev.sluice.targetnode.storage.ObjectStore;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import java.util.Optional;

/// Removes cached objects from this target, never from the cloud: what is stored here, also where another target is the
/// primary of the key by now. An object that was written or fetched since it was listed stays.
final class Evict implements JobWork {
    private final JobSpec spec;
    private final ClusterViews views;
    private final ObjectStore store;
    private final Selection selection;

    Evict(JobSpec spec, ClusterViews views, ObjectStore store) {
        this.spec = spec;
        this.views = views;
        this.store = store;
        this.selection = Selection.stored(spec, store);
    }

    @Override
    public Selection selection() {
        return selection;
    }

    private Bucket bucket() {
        var bucket = JobTools.bucket(views, spec);
        if (bucket.properties().cache().evict() == CacheRules.Evict.NEVER) {
            throw new JobEnded(
                    JobState.FAILED,
                    "the objects of %s are pinned: set its property 'evict' to 'auto' first".formatted(spec.bucket()));
        }
        return bucket;
    }

    /// The selection has nothing else.
    @Override
    public boolean isHere(String key) {
        return true;
    }

    @Override
    public int connections(JobItem object) {
        return 1;
    }

    @Override
    public StepResult step(JobItem object) {
        var bucket = bucket();
        if (spec.dryRun()) {
            return StepResult.done(object.size(), 0);
        }
        try {
            // synced: after a write of the key, a loss of power must not bring the old object back
            boolean removed = store.delete(
                    BucketRefs.of(bucket), object.key(), present -> require(object, present), Durability.FSYNC);
            return removed ? StepResult.done(object.size(), 0) : StepResult.skipped(0);
        } catch (Changed _) {
            return StepResult.skipped(0);
        }
    }

    private static void require(JobItem listed, Optional<ObjectRecord> present) {
        if (present.isEmpty() || !Optional.of(present.get().etag()).equals(listed.etag())) {
            throw new Changed();
        }
        if (present.get().backendVersion().isEmpty()) {
            throw new StoreException.InvalidArgument("it is stored here only, the cloud does not have it: it stays");
        }
    }

    private static final class Changed extends RuntimeException {
        Changed() {
            super("changed", null, false, false);
        }
    }
}
