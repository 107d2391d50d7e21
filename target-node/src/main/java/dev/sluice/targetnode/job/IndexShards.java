package dev.sluice.targetnode.job;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.jobs.JobSpec;
import dev.sluice.common.jobs.JobState;
import dev.sluice.targetnode.bucket.BucketRefs;
import dev.sluice.targetnode.shard.BatchAnswers;

/// Finds out where the samples of shards are before a client asks for them. Of a cached bucket the shards are fetched
/// first, as by [Prefetch]. Of what it lists it leaves out what is not called a tar.
final class IndexShards implements JobWork {
    private static final String TAR = ".tar";

    private final JobSpec spec;
    private final JobTools tools;
    private final BatchAnswers batches;
    private final Prefetch fetching;

    IndexShards(JobSpec spec, JobTools tools, BatchAnswers batches) {
        this.spec = spec;
        this.tools = tools;
        this.batches = batches;
        this.fetching = new Prefetch(spec, tools);
    }

    private Bucket bucket() {
        return tools.views()
                .current()
                .bucket(spec.bucket())
                .filter(bucket -> bucket.id() == spec.bucketId())
                .orElseThrow(() -> new JobEnded(JobState.FAILED, "the bucket " + spec.bucket() + " was deleted"));
    }

    @Override
    public Selection selection() {
        return bucket().backed()
                ? fetching.selection()
                : Selection.served(spec, tools.store().writer(BucketRefs.of(bucket())));
    }

    @Override
    public boolean isHere(String key) {
        return tools.isPrimary(bucket(), key);
    }

    @Override
    public int connections(JobItem object) {
        return bucket().backed() ? fetching.connections(object) : 1;
    }

    @Override
    public JobItem asked(JobItem named) {
        return bucket().backed() ? fetching.asked(named) : named;
    }

    @Override
    public StepResult step(JobItem object) throws InterruptedException {
        if (spec.template().isEmpty() && spec.list().isEmpty() && !object.key().endsWith(TAR)) {
            return StepResult.skipped(0);
        }
        int requests = bucket().backed() ? fetching.step(object).requests() : 0;
        if (!spec.dryRun()) {
            batches.index(bucket(), object.key());
        }
        return StepResult.done(object.size(), requests);
    }
}
