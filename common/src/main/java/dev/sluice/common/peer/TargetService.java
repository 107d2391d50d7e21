package dev.sluice.common.peer;

import dev.sluice.common.cluster.BackendSpec;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.http.Answer;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.listing.ListQuery;
import dev.sluice.common.s3.listing.ListedObject;
import dev.sluice.common.s3.listing.UploadsQuery;
import dev.sluice.common.samples.SampleBatch;
import dev.sluice.common.samples.SampleStream;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/// What a target does for whoever has a request for it: in the same JVM directly, from another node over HTTP.
public interface TargetService {
    /// Never blocks. The call's bucket is the caller's view; the target judges by its own.
    Answer object(ObjectCall call);

    /// A GET or HEAD of a cached bucket whose primary is away: from the cloud alone, and nothing is kept. Never
    /// blocks itself.
    Answer objectOfAway(ObjectCall call);

    /// Samples of shards that this target is the primary of, in the batch's order. Without samples, of each shard the
    /// answer to `?samples`, in the order in which they are known. What goes wrong with one is in its frame; it is
    /// [SampleFrame#ELSEWHERE] of a shard that another target is the primary of. Blocks.
    SampleStream samples(SampleBatch batch);

    /// This target's keys of a bucket. Blocks.
    TargetPage list(Bucket bucket, ListQuery query);

    /// The keys of the cloud bucket behind a bucket. Blocks.
    List<ListedObject> listCloud(Bucket bucket, ListQuery query);

    /// Asks a cloud bucket for its first key, with what this target's own configuration has for it. Blocks.
    BackendCheck checkBackend(BackendSpec spec);

    /// This target's multipart uploads under way. Blocks.
    TargetUploads listUploads(Bucket bucket, UploadsQuery query);

    /// Deletes each key; a missing one counts as deleted. Blocks.
    ///
    /// @param abandoned whether nobody waits for it any more: then no deletion from a replicated bucket is begun
    /// @return one for each, in their order
    List<DeleteOutcome> delete(Bucket bucket, List<S3Request.Deletion> deletions, BooleanSupplier abandoned);

    /// Whether the bucket has no object here, once all writes begun before the state with this version have
    /// ended. Blocks.
    ///
    /// @param uploadsCount whether it must have no unfinished upload either
    boolean isEmpty(Bucket bucket, long stateVersion, boolean uploadsCount);

    /// What each of these buckets takes here, in the order of the ids.
    List<BucketUsage> usage(List<Long> bucketIds);

    /// What its drives have of slots, of which they may have no part any more. Takes 4 s at most. Blocks.
    List<HeldRows> held(SlotQuestion question);

    /// What clients read lately of a bucket's keys that this target is the primary of.
    RecentReads reads(long bucketId);

    /// What became of a bucket's expired objects that this target was the primary of.
    ExpiryStatus expiry(long bucketId);

    /// Its drives and their states. Blocks.
    List<Mountpath> mountpaths();

    /// Changes what a drive is for, durably. Blocks.
    ///
    /// @param which a path, or a drive's id
    /// @return what was done, for people
    String changeMountpath(MountpathChange change, String which);

    /// Starts or stops the scrubs of this target's drives, and tells how they stand. Blocks.
    List<DriveScrub> scrub(ScrubCommand command);

    /// Starts or stops this target's resilver, and tells how it stands.
    ResilverStatus resilver(ResilverCommand command);

    /// How this target's parts of jobs stand: of those that run, and of the last that ended.
    ///
    /// @param id of the only one that is meant; without it, failures are not named
    List<LiveJob> jobs(Optional<String> id);
}
