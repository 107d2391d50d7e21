package dev.sluice.targetnode.job;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.jobs.JobSpec;
import dev.sluice.common.jobs.JobState;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import java.util.Optional;

/// Stores objects of a cloud bucket here before a client asks for them, by the fills that readers share. An object that
/// is here in the version of the cloud's list is skipped. One that the cloud has another version of is fetched again.
/// Nothing is evicted for it: at the high watermark the job ends.
final class Prefetch implements JobWork {
    private final JobSpec spec;
    private final JobTools tools;
    private final Selection selection;

    Prefetch(JobSpec spec, JobTools tools) {
        this.spec = spec;
        this.tools = tools;
        this.selection = Selection.cloud(spec, () -> tools.backends().of(tools.bucket(spec)));
    }

    @Override
    public Selection selection() {
        return selection;
    }

    @Override
    public boolean isHere(String key) {
        return tools.isPrimary(tools.bucket(spec), key);
    }

    @Override
    public int connections(JobItem object) {
        return tools.coldFill().connections(object.size());
    }

    @Override
    public JobItem asked(JobItem named) {
        var object = tools.backends().of(tools.bucket(spec)).head(named.key());
        return new JobItem(named.key(), object.size(), Optional.of(object.etag()));
    }

    @Override
    public StepResult step(JobItem object) throws InterruptedException {
        var bucket = tools.bucket(spec);
        int asked = 0; // requests to the cloud
        var stored = tools.stored(bucket, object.key());
        if (stored.isPresent() && Optional.of(stored.get().etag()).equals(object.etag())) {
            return StepResult.skipped(asked);
        }
        if (stored.isPresent()) {
            asked++;
            if (tools.isCurrent(bucket, stored.get())) {
                return StepResult.skipped(asked); // written since the list was made
            }
        }
        if (spec.dryRun()) {
            return StepResult.done(object.size(), asked + 1);
        }
        return fetched(bucket, object, stored, asked + 1);
    }

    private StepResult fetched(Bucket bucket, JobItem object, Optional<ObjectRecord> stored, int requests)
            throws InterruptedException {
        try (var _ = tools.room(bucket, object.key(), object.size())) {
            stored.ifPresent(outdated -> tools.revalidation().drop(bucket, outdated));
            boolean fetched = tools.coldFill().store(bucket, object.key());
            return fetched ? StepResult.done(object.size(), requests) : StepResult.skipped(requests - 1);
        } catch (StoreException.NoSpace full) {
            throw new JobEnded(JobState.FULL, String.valueOf(full.getMessage()));
        }
    }
}
