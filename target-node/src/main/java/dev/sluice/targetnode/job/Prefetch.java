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
import dev.sluice.targetnode.quota.Quotas;
import dev.sluice.targetnode.storage.Lookup;
import dev.sluice.targetnode.storage.ObjectStore;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import java.util.Optional;

/// Stores objects of a cloud bucket here before a client asks for them, by the fills that readers share. An object that
/// is here in the version of the cloud's list is skipped. One that the cloud has another version of is fetched again.
/// Nothing is evicted for it: at the high watermark the job ends.
final class Prefetch implements JobWork {
    private final JobSpec spec;
    private final NodeId self;
    private final Tools tools;
    private final FillRoom room;
    private final Selection selection;

    /// What it works with.
    record Tools(ClusterViews views, ObjectStore store, ColdFill coldFill, BucketBackends backends, Quotas quotas) {}

    /// @param room shared by all jobs of this target
    Prefetch(JobSpec spec, NodeId self, Tools tools, FillRoom room) {
        this.spec = spec;
        this.self = self;
        this.tools = tools;
        this.room = room;
        this.selection = Selection.cloud(spec, () -> tools.backends().of(bucket()));
    }

    @Override
    public Selection selection() {
        return selection;
    }

    /// As it is now: its properties may change while the job runs.
    private Bucket bucket() {
        return tools.views()
                .current()
                .bucket(spec.bucket())
                .filter(bucket -> bucket.id() == spec.bucketId() && bucket.backed())
                .orElseThrow(() -> new JobEnded(JobState.FAILED, "the bucket " + spec.bucket() + " was deleted"));
    }

    @Override
    public boolean isHere(String key) {
        return tools.views().current().primary(bucket(), key).id().equals(self);
    }

    @Override
    public int connections(JobItem object) {
        return tools.coldFill().connections(object.size());
    }

    @Override
    public StepResult step(JobItem object) throws InterruptedException {
        var bucket = bucket();
        return object.etag().isPresent() ? step(bucket, object, 0) : step(bucket, asked(bucket, object.key()), 1);
    }

    private JobItem asked(Bucket bucket, String key) {
        var object = tools.backends().of(bucket).head(key);
        return new JobItem(key, object.size(), Optional.of(object.etag()));
    }

    /// @param requests to the cloud so far
    private StepResult step(Bucket bucket, JobItem object, int requests) throws InterruptedException {
        int asked = requests;
        var stored = stored(bucket, object.key());
        if (stored.isPresent() && Optional.of(stored.get().etag()).equals(object.etag())) {
            return StepResult.skipped(asked);
        }
        if (stored.isPresent()) {
            asked++;
            if (isCurrent(bucket, stored.get())) {
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
        try (var _ = room.take(object.size(), () -> left(bucket, object.key()), full(object.key()))) {
            stored.ifPresent(outdated -> drop(bucket, outdated));
            boolean fetched = tools.coldFill().store(bucket, object.key());
            return fetched ? StepResult.done(object.size(), requests) : StepResult.skipped(requests - 1);
        } catch (StoreException.NoSpace full) {
            throw new JobEnded(JobState.FULL, String.valueOf(full.getMessage()));
        }
    }

    /// @throws StoreException.Unavailable when it cannot be known now
    private Optional<ObjectRecord> stored(Bucket bucket, String key) {
        return switch (tools.store().lookup(BucketRefs.of(bucket), key)) {
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

    private boolean isCurrent(Bucket bucket, ObjectRecord stored) {
        var now = tools.backends().of(bucket).head(stored.key());
        return stored.backendVersion()
                .map(version -> version.equals(now.version()))
                .orElseGet(() -> stored.etag().equals(now.etag()));
    }

    /// How much fits beside what is being stored. An object may take room on several drives.
    private long left(Bucket bucket, String key) {
        int copies = bucket.properties().localCopies();
        return Math.min(
                tools.store().roomBeforeEviction(BucketRefs.of(bucket), key),
                tools.quotas().beforeEviction(bucket) / copies);
    }

    private String full(String key) {
        return "%s does not fit below the high watermark of its drive, or the bucket's quota: delete objects, or add drives"
                .formatted(key);
    }

    /// An outdated object, unless a client has written another one since. Synced as every deletion of a cached object.
    private void drop(Bucket bucket, ObjectRecord outdated) {
        try {
            tools.store()
                    .delete(
                            BucketRefs.of(bucket),
                            outdated.key(),
                            present -> {
                                if (!present.map(ObjectRecord::version).equals(Optional.of(outdated.version()))) {
                                    throw new Replaced();
                                }
                            },
                            Durability.FSYNC);
        } catch (Replaced _) {
            // the new one is what the cloud has
        }
    }

    private static final class Replaced extends RuntimeException {
        Replaced() {
            super("replaced", null, false, false);
        }
    }
}
