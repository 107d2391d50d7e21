package dev.sluice.targetnode.admin;

import dev.sluice.common.cluster.BackendSpec;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.http.Answer;
import dev.sluice.common.peer.BackendCheck;
import dev.sluice.common.peer.BucketUsage;
import dev.sluice.common.peer.DeleteOutcome;
import dev.sluice.common.peer.DriveScrub;
import dev.sluice.common.peer.ExpiryStatus;
import dev.sluice.common.peer.HeldRows;
import dev.sluice.common.peer.LiveJob;
import dev.sluice.common.peer.Mountpath;
import dev.sluice.common.peer.MountpathChange;
import dev.sluice.common.peer.ObjectCall;
import dev.sluice.common.peer.RecentReads;
import dev.sluice.common.peer.ResilverCommand;
import dev.sluice.common.peer.ResilverStatus;
import dev.sluice.common.peer.ScrubCommand;
import dev.sluice.common.peer.SlotQuestion;
import dev.sluice.common.peer.TargetPage;
import dev.sluice.common.peer.TargetService;
import dev.sluice.common.peer.TargetUploads;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.listing.ListQuery;
import dev.sluice.common.s3.listing.ListedObject;
import dev.sluice.common.s3.listing.UploadsQuery;
import dev.sluice.common.samples.SampleBatch;
import dev.sluice.common.samples.SampleStream;
import dev.sluice.targetnode.bucket.BucketNames;
import dev.sluice.targetnode.bucket.BucketWriteGate;
import dev.sluice.targetnode.bucket.DroppedBuckets;
import dev.sluice.targetnode.bucket.RemovedBuckets;
import dev.sluice.targetnode.coldfill.BucketBackends;
import dev.sluice.targetnode.coldfill.CloudListing;
import dev.sluice.targetnode.coldfill.CloudTags;
import dev.sluice.targetnode.coldfill.ColdFill;
import dev.sluice.targetnode.coldfill.Fetching;
import dev.sluice.targetnode.coldfill.Fills;
import dev.sluice.targetnode.coldfill.Revalidation;
import dev.sluice.targetnode.coldfill.RevalidationCounts;
import dev.sluice.targetnode.coldfill.WriteThrough;
import dev.sluice.targetnode.encryption.EncryptionAtRest;
import dev.sluice.targetnode.expiry.ClockCheck;
import dev.sluice.targetnode.expiry.Expirations;
import dev.sluice.targetnode.expiry.ExpiryDates;
import dev.sluice.targetnode.job.JobMeters;
import dev.sluice.targetnode.job.JobTools;
import dev.sluice.targetnode.job.Jobs;
import dev.sluice.targetnode.object.BodyReceiver;
import dev.sluice.targetnode.object.BucketReads;
import dev.sluice.targetnode.object.CompleteUploadHandler;
import dev.sluice.targetnode.object.CopyHandlers;
import dev.sluice.targetnode.object.CopySources;
import dev.sluice.targetnode.object.DamagedCopies;
import dev.sluice.targetnode.object.DeleteObjectHandler;
import dev.sluice.targetnode.object.GetObjectHandler;
import dev.sluice.targetnode.object.MultipartHandlers;
import dev.sluice.targetnode.object.ObjectActions;
import dev.sluice.targetnode.object.ObjectRouter;
import dev.sluice.targetnode.object.ParkedRequests;
import dev.sluice.targetnode.object.PutObjectHandler;
import dev.sluice.targetnode.quota.Quotas;
import dev.sluice.targetnode.shard.BatchAnswers;
import dev.sluice.targetnode.shard.ShardIndexes;
import dev.sluice.targetnode.storage.pace.Clock;
import dev.sluice.targetnode.storage.resilver.Resilver;
import dev.sluice.targetnode.storage.resilver.ResilverMeters;
import dev.sluice.targetnode.storage.scrub.Scrubs;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;

/// What a target answers: requests on objects by the [ObjectRouter], and what other nodes ask of it.
public final class TargetHandlers implements TargetService, AutoCloseable {
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Quotas quotas;
    private final BucketBackends backends;
    private final BucketReads reads = new BucketReads(Clock.SYSTEM);
    private final Fills fills = new Fills();
    private final Revalidation revalidation;
    private final MultipartHandlers multipart;
    private final ObjectRouter router;
    private final BatchAnswers batches;
    private final BucketCalls buckets;
    private final RemovedBuckets removed;
    private final CloudListing cloud;
    private final MountpathCalls mountpaths;
    private final Scrubs scrubs;
    private final Resilver resilver;
    private final Jobs jobs;
    private final Expirations expirations;
    private final ClockCheck clocks;

    public TargetHandlers(TargetParts parts, TargetSettings settings) {
        var store = parts.store();
        var views = parts.views();
        this.quotas = parts.quotas();
        this.backends = parts.backends();
        if (!store.startedSettled()) {
            fills.begunUnsettled();
        }
        store.settledWhen(fills::isSettled);
        var dropped = new DroppedBuckets(store);
        var writes = new BucketWriteGate(views, dropped::isFree);
        this.removed = new RemovedBuckets(parts.control(), store, writes, dropped);
        var limit = settings.limit();
        var writeThrough = new WriteThrough(store, backends, fills, writes);
        var receiver = new BodyReceiver(parts.digests());
        var dates = new ExpiryDates(views, settings.expiry());
        var puts = new PutObjectHandler(store, writes, quotas, limit, writeThrough, receiver, dates);
        this.multipart = new MultipartHandlers(store.multipart(), writes, quotas, limit, receiver);
        this.revalidation = new Revalidation(store, backends, parts.clock());
        var fetching = Fetching.with(parts.digests());
        var coldFill = new ColdFill(store, backends, fills, revalidation, fetching, parts.node(), parts.meters());
        var damagedCopies = new DamagedCopies(store, coldFill);
        var shards = new ShardIndexes();
        var deletes = new DeleteObjectHandler(store, writes, writeThrough);
        var cloudTags = new CloudTags(backends);
        var actions = new ObjectActions(
                new GetObjectHandler(store, coldFill, revalidation, damagedCopies, reads, shards, dates),
                puts,
                deletes,
                new CopyHandlers(new CopySources(views, parts.peers()), puts, multipart, cloudTags),
                multipart,
                new CompleteUploadHandler(
                        store.multipart(),
                        writes,
                        quotas,
                        limit,
                        writeThrough,
                        threads,
                        CompleteUploadHandler.PATIENCE),
                cloudTags,
                new EncryptionAtRest(settings.encryptedDrives(), backends));
        var parked =
                new ParkedRequests(parts.meters(), Tags.of("node", parts.node().value()));
        this.router = new ObjectRouter(parts.node(), views, store, parked, actions);
        this.batches = new BatchAnswers(views, router::object, router::isServed);
        this.buckets = new BucketCalls(store, parts.control(), writes, deletes, threads);
        this.cloud = new CloudListing(backends);
        this.mountpaths = new MountpathCalls(store);
        var names = new BucketNames(views);
        this.scrubs = store.scrubs(settings.scrubbing(), names, new ScrubRepair(views, damagedCopies));
        this.resilver = store.resilver(settings.resilvering(), names);
        this.clocks = new ClockCheck(parts.node(), views, parts.peers(), parts.clock());
        this.expirations = new Expirations(store, views, writes, clocks, parts.clock(), settings.expiry());
        var tools = JobTools.of(parts.node(), views, store, coldFill, revalidation, backends, quotas);
        this.jobs = Jobs.of(parts.control(), tools, batches);
        ResilverMeters.register(resilver, parts.node(), parts.meters());
        JobMeters.register(jobs, parts.node(), parts.meters());
    }

    public RemovedBuckets removedBuckets() {
        return removed;
    }

    @Override
    public Answer object(ObjectCall call) {
        return router.object(call);
    }

    @Override
    public Answer objectOfAway(ObjectCall call) {
        return router.objectOfAway(call);
    }

    @Override
    public SampleStream samples(SampleBatch batch) {
        return batches.of(batch);
    }

    @Override
    public TargetPage list(Bucket bucket, ListQuery query) {
        return buckets.list(bucket, query);
    }

    @Override
    public List<DeleteOutcome> delete(Bucket bucket, List<S3Request.Deletion> deletions, BooleanSupplier abandoned) {
        return buckets.delete(bucket, deletions, abandoned);
    }

    @Override
    public boolean isEmpty(Bucket bucket, long stateVersion, boolean uploadsCount) {
        return buckets.isEmpty(bucket, stateVersion, uploadsCount);
    }

    @Override
    public List<Mountpath> mountpaths() {
        return mountpaths.all();
    }

    @Override
    public String changeMountpath(MountpathChange change, String which) {
        return mountpaths.change(change, which);
    }

    @Override
    public List<ListedObject> listCloud(Bucket bucket, ListQuery query) {
        return cloud.list(bucket, query);
    }

    @Override
    public BackendCheck checkBackend(BackendSpec spec) {
        return backends.check(spec);
    }

    @Override
    public TargetUploads listUploads(Bucket bucket, UploadsQuery query) {
        return multipart.uploads(bucket, query);
    }

    @Override
    public List<BucketUsage> usage(List<Long> bucketIds) {
        return quotas.usage(bucketIds);
    }

    @Override
    public List<HeldRows> held(SlotQuestion question) {
        return buckets.held(question);
    }

    @Override
    public RecentReads reads(long bucketId) {
        return reads.recent(bucketId, revalidation.counts(bucketId).of(RevalidationCounts.Outcome.UNCHECKED));
    }

    public BucketReads reads() {
        return reads;
    }

    @Override
    public ExpiryStatus expiry(long bucketId) {
        return expirations.status(bucketId);
    }

    public ClockCheck clocks() {
        return clocks;
    }

    /// They do nothing before they are started.
    public Expirations expirations() {
        return expirations;
    }

    @Override
    public List<DriveScrub> scrub(ScrubCommand command) {
        return scrubs.obey(command);
    }

    @Override
    public ResilverStatus resilver(ResilverCommand command) {
        return resilver.obey(command);
    }

    @Override
    public List<LiveJob> jobs(Optional<String> id) {
        return jobs.status(id);
    }

    /// They do nothing before they are started.
    public Jobs jobs() {
        return jobs;
    }

    public Revalidation revalidation() {
        return revalidation;
    }

    /// Whether what is fetched from a cloud may be stored: no change of before the start may still be under way.
    public boolean mayFill() {
        return fills.stores();
    }

    public Scrubs scrubs() {
        return scrubs;
    }

    @Override
    public void close() {
        expirations.close();
        jobs.close();
        resilver.close();
        scrubs.close();
        threads.close();
    }
}
