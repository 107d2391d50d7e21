package dev.sluice.targetnode.object;

import dev.sluice.common.cluster.BackendSpec;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.http.Answer;
import dev.sluice.common.http.Blocking;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.http.Forward;
import dev.sluice.common.http.Response;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.BackendCheck;
import dev.sluice.common.peer.BucketUsage;
import dev.sluice.common.peer.DeleteOutcome;
import dev.sluice.common.peer.DriveScrub;
import dev.sluice.common.peer.LiveJob;
import dev.sluice.common.peer.Mountpath;
import dev.sluice.common.peer.MountpathChange;
import dev.sluice.common.peer.ObjectCall;
import dev.sluice.common.peer.PeerClient;
import dev.sluice.common.peer.PeerFailure;
import dev.sluice.common.peer.RecentReads;
import dev.sluice.common.peer.ResilverCommand;
import dev.sluice.common.peer.ResilverStatus;
import dev.sluice.common.peer.ScrubCommand;
import dev.sluice.common.peer.TargetPage;
import dev.sluice.common.peer.TargetService;
import dev.sluice.common.s3.Conditions;
import dev.sluice.common.s3.S3Header;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.answer.Owner;
import dev.sluice.common.s3.answer.S3Responses;
import dev.sluice.common.s3.answer.SettingXml;
import dev.sluice.common.s3.listing.ListQuery;
import dev.sluice.common.s3.listing.ListedObject;
import dev.sluice.common.s3.listing.ListedUpload;
import dev.sluice.common.s3.listing.UploadsQuery;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.bucket.BucketNames;
import dev.sluice.targetnode.bucket.BucketRefs;
import dev.sluice.targetnode.bucket.BucketWriteGate;
import dev.sluice.targetnode.coldfill.BucketBackends;
import dev.sluice.targetnode.coldfill.CloudListing;
import dev.sluice.targetnode.coldfill.ColdFill;
import dev.sluice.targetnode.coldfill.Fills;
import dev.sluice.targetnode.coldfill.Revalidation;
import dev.sluice.targetnode.coldfill.RevalidationCounts;
import dev.sluice.targetnode.coldfill.WriteThrough;
import dev.sluice.targetnode.job.Jobs;
import dev.sluice.targetnode.quota.Quotas;
import dev.sluice.targetnode.storage.DriveStats;
import dev.sluice.targetnode.storage.ObjectStore;
import dev.sluice.targetnode.storage.listing.ListEntry;
import dev.sluice.targetnode.storage.pace.Clock;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.resilver.Resilver;
import dev.sluice.targetnode.storage.resilver.ResilverSettings;
import dev.sluice.targetnode.storage.scrub.ScrubSettings;
import dev.sluice.targetnode.storage.scrub.Scrubs;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/// A target's side of every object request: the switch is the route table, one handler for each action.
public final class ObjectHandlers implements TargetService, AutoCloseable {
    private static final Duration STATE_WAIT = Duration.ofSeconds(5);

    private final NodeId node;
    private final ClusterViews views;
    private final ObjectStore store;
    private final ControlPlane control;
    private final BucketWriteGate writes;
    private final Quotas quotas;
    private final BucketReads reads;
    private final GetObjectHandler gets;
    private final PutObjectHandler puts;
    private final DeleteObjectHandler deletes;
    private final CopyHandlers copies;
    private final MultipartHandlers multipart;
    private final CompleteUploadHandler completions;
    private final BucketBackends backends;
    private final Fills fills;
    private final CloudListing cloud;
    private final Scrubs scrubs;
    private final Resilver resilver;
    private final Jobs jobs;
    private final Revalidation revalidation;
    private final ParkedRequests parked;
    private final ExecutorService threads;

    private ObjectHandlers(
            NodeId node,
            ClusterViews views,
            ObjectStore store,
            ControlPlane control,
            BucketWriteGate writes,
            Quotas quotas,
            BucketReads reads,
            GetObjectHandler gets,
            PutObjectHandler puts,
            DeleteObjectHandler deletes,
            CopyHandlers copies,
            MultipartHandlers multipart,
            CompleteUploadHandler completions,
            BucketBackends backends,
            Fills fills,
            CloudListing cloud,
            Scrubs scrubs,
            Resilver resilver,
            Jobs jobs,
            Revalidation revalidation,
            ParkedRequests parked,
            ExecutorService threads) {
        this.node = node;
        this.views = views;
        this.store = store;
        this.control = control;
        this.writes = writes;
        this.quotas = quotas;
        this.reads = reads;
        this.gets = gets;
        this.puts = puts;
        this.deletes = deletes;
        this.copies = copies;
        this.multipart = multipart;
        this.completions = completions;
        this.backends = backends;
        this.fills = fills;
        this.cloud = cloud;
        this.scrubs = scrubs;
        this.resilver = resilver;
        this.jobs = jobs;
        this.revalidation = revalidation;
        this.parked = parked;
        this.threads = threads;
    }

    /// @param limit of what clients write; what the cloud has is taken as it is
    /// @param digests a pool of about one thread per core, for costly digests
    /// @param scrubbing how the drives are scrubbed
    /// @param resilvering how keys are brought to where they belong
    /// @param clock tells how old what the cloud said is
    public static ObjectHandlers compose(
            ObjectStore store,
            ControlPlane control,
            ClusterViews views,
            PeerClient peers,
            BucketBackends backends,
            Quotas quotas,
            ObjectSizeLimit limit,
            Executor digests,
            ScrubSettings scrubbing,
            ResilverSettings resilvering,
            NodeId node,
            MeterRegistry meters,
            InstantSource clock) {
        var writes = new BucketWriteGate(views);
        var fills = new Fills();
        if (!store.startedSettled()) {
            fills.begunUnsettled();
        }
        store.settledWhen(fills::isSettled);
        var writeThrough = new WriteThrough(store, backends, fills, writes);
        var intake = new BodyReceiver(digests);
        var puts = new PutObjectHandler(store, writes, quotas, limit, writeThrough, intake);
        var multipart = new MultipartHandlers(store.multipart(), writes, quotas, limit, intake);
        var revalidation = new Revalidation(store, backends, clock);
        var coldFill = new ColdFill(store, backends, fills, revalidation, digests, node, meters);
        var damagedCopies = new DamagedCopies(store, coldFill);
        var reads = new BucketReads(Clock.SYSTEM);
        var threads = Executors.newVirtualThreadPerTaskExecutor();
        return new ObjectHandlers(
                node,
                views,
                store,
                control,
                writes,
                quotas,
                reads,
                new GetObjectHandler(store, coldFill, revalidation, damagedCopies, reads),
                puts,
                new DeleteObjectHandler(store, writes, writeThrough),
                new CopyHandlers(new CopySources(views, peers), puts, multipart),
                multipart,
                new CompleteUploadHandler(
                        store.multipart(),
                        writes,
                        quotas,
                        limit,
                        writeThrough,
                        threads,
                        CompleteUploadHandler.PATIENCE),
                backends,
                fills,
                new CloudListing(backends),
                store.scrubs(scrubbing, new BucketNames(views), new ScrubRepair(views, damagedCopies)),
                store.resilver(resilvering, new BucketNames(views)),
                Jobs.of(node, control, views, store, coldFill, revalidation, backends, quotas),
                revalidation,
                new ParkedRequests(meters, Tags.of("node", node.value())),
                threads);
    }

    @Override
    public Answer object(ObjectCall call) {
        NotReplicated.require(call);
        if (!isServed(call)) {
            return new Blocking(body -> parked(call, body));
        }
        return served(call);
    }

    @Override
    public Answer objectOfAway(ObjectCall call) {
        return switch (call.request()) {
            case S3Request.GetObject get -> withoutRdma(call, gets.getOfAway(call, get));
            case S3Request.HeadObject head -> gets.headOfAway(call, head);
            default -> throw new StoreException.NotPrimary("only reads are answered for a target that is away");
        };
    }

    private boolean isServed(ObjectCall call) {
        return store.writer(BucketRefs.of(call.bucket())).serves(call.bucket().id(), call.key());
    }

    /// Whether the map names another target, which the node that was asked looks for then. Whoever relayed a request
    /// may have a newer map.
    private boolean isElsewhere(ObjectCall call) {
        try {
            return !call.relayed()
                    && !views.current().primary(call.bucket(), call.key()).id().equals(node);
        } catch (StoreException.Unavailable _) {
            return false; // this target does not know yet
        }
    }

    private Response parked(ObjectCall call, ByteSource body) {
        body.holdBack();
        if (!parked.await(() -> isServed(call), () -> body.abandoned() || isElsewhere(call))) {
            throw new StoreException.NotPrimary("this target may not serve this key now: the map of slots is changing");
        }
        var answer = served(call);
        if (answer instanceof Blocking(var work)) {
            answer = work.run(body);
        }
        if (answer instanceof Response response) {
            return response;
        }
        throw new IllegalStateException("a target answers by itself: " + answer);
    }

    private Answer served(ObjectCall call) {
        return switch (call.request()) {
            case S3Request.GetObject get -> withoutRdma(call, gets.get(call, get));
            case S3Request.HeadObject head -> gets.head(call, head);
            case S3Request.GetObjectAcl _ -> existing(call, () -> S3Responses.xml(SettingXml.acl(Owner.SLUICE)));
            case S3Request.PutObjectAcl _ -> existing(call, () -> Response.empty(200));
            case S3Request.GetObjectTagging _ -> existing(call, () -> S3Responses.xml(SettingXml.noTags()));
            case S3Request.PutObject _,
                    S3Request.CopyObject _,
                    S3Request.DeleteObject _,
                    S3Request.CreateMultipartUpload _,
                    S3Request.UploadPart _,
                    S3Request.UploadPartCopy _,
                    S3Request.ListParts _,
                    S3Request.CompleteMultipartUpload _,
                    S3Request.AbortMultipartUpload _ -> new Blocking(body -> blocking(call, body));
        };
    }

    /// A client that asked for the bytes by RDMA gets them by HTTP.
    private static Answer withoutRdma(ObjectCall call, Answer answer) {
        return call.head().headers().has(S3Header.RDMA_TOKEN) ? withoutRdma(answer) : answer;
    }

    private static Answer withoutRdma(Answer answer) {
        return switch (answer) {
            case Response response -> response.with("x-amz-rdma-reply", "501");
            case Blocking(var work) -> new Blocking(body -> withoutRdma(work.run(body)));
            case Forward forward -> forward;
        };
    }

    /// The same for each object that there is.
    private Answer existing(ObjectCall call, Supplier<Response> answer) {
        var head = new S3Request.HeadObject(
                call.request().name(), Optional.empty(), Conditions.NONE, Optional.empty(), false, new TreeMap<>());
        return new Blocking(body -> {
            if (gets.head(call, head) instanceof Blocking(var look)) {
                var _ = look.run(body);
            }
            return answer.get();
        });
    }

    private Response blocking(ObjectCall call, ByteSource body) {
        return switch (call.request()) {
            case S3Request.PutObject put -> puts.handle(call, put, body);
            case S3Request.CopyObject copy -> copies.object(call, copy, body);
            case S3Request.DeleteObject delete -> deletes.handle(call.bucket(), call.key(), delete.conditions(), body);
            case S3Request.CreateMultipartUpload create -> multipart.create(call, create);
            case S3Request.UploadPart part -> multipart.part(call, part, body);
            case S3Request.UploadPartCopy copy -> copies.part(call, copy);
            case S3Request.ListParts list -> multipart.list(call, list);
            case S3Request.CompleteMultipartUpload complete -> completions.handle(call, complete, body);
            case S3Request.AbortMultipartUpload abort -> multipart.abort(call, abort);
            case S3Request.GetObject _,
                    S3Request.HeadObject _,
                    S3Request.GetObjectAcl _,
                    S3Request.PutObjectAcl _,
                    S3Request.GetObjectTagging _ -> throw new IllegalStateException("reads are answered before");
        };
    }

    @Override
    public TargetPage list(Bucket bucket, ListQuery query) {
        var page = store.writer(BucketRefs.of(bucket)).list(bucket.id(), query);
        return new TargetPage(listed(page.entries()), page.cover());
    }

    private static List<ListedObject> listed(List<ListEntry> entries) {
        return entries.stream()
                .map(entry -> new ListedObject(
                        entry.key(), entry.size(), entry.etag(), Instant.ofEpochMilli(entry.modifiedMillis())))
                .toList();
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
    public List<ListedUpload> listUploads(Bucket bucket, UploadsQuery query) {
        return multipart.uploads(bucket, query);
    }

    /// All at once, so that they share the drives' group syncs.
    @Override
    public List<DeleteOutcome> delete(Bucket bucket, List<S3Request.Deletion> deletions, BooleanSupplier abandoned) {
        var tasks = deletions.stream()
                .map(deletion -> threads.submit(() -> delete(bucket, deletion, abandoned)))
                .toList();
        return tasks.stream().map(Await::of).toList();
    }

    private DeleteOutcome delete(Bucket bucket, S3Request.Deletion deletion, BooleanSupplier abandoned) {
        try {
            deletes.delete(bucket, deletion.key(), deletion.conditions(), abandoned);
            return new DeleteOutcome(deletion.key(), Optional.empty());
        } catch (StoreException e) {
            return new DeleteOutcome(deletion.key(), Optional.of(PeerFailure.of(e)));
        }
    }

    @Override
    public boolean isEmpty(Bucket bucket, long stateVersion, boolean uploadsCount) {
        awaitState(stateVersion);
        writes.awaitCommitted(bucket);
        return store.writer(BucketRefs.of(bucket)).isEmpty(bucket.id(), uploadsCount);
    }

    @Override
    public void drop(long bucketId, String name) {
        writes.drop(name, bucketId, () -> store.dropBucket(new BucketRef(bucketId, name)));
    }

    @Override
    public List<BucketUsage> usage(List<Long> bucketIds) {
        return quotas.usage(bucketIds);
    }

    @Override
    public RecentReads reads(long bucketId) {
        return reads.recent(bucketId, revalidation.counts(bucketId).of(RevalidationCounts.Outcome.UNCHECKED));
    }

    @Override
    public List<Mountpath> mountpaths() {
        return store.stats().stream().map(ObjectHandlers::shown).toList();
    }

    private static Mountpath shown(DriveStats drive) {
        var status = drive.status();
        return new Mountpath(
                drive.path(),
                drive.id(),
                drive.weight(),
                drive.leaving(),
                status.state().toString(),
                status.reason(),
                status.since().toEpochMilli(),
                drive.errors(),
                drive.probes());
    }

    @Override
    public String changeMountpath(MountpathChange change, String which) {
        return switch (change) {
            case ENABLE -> {
                store.mountpaths().enable(which);
                yield which + " is enabled";
            }
            case DISABLE -> {
                store.mountpaths().disable(which);
                yield which + " is disabled";
            }
            case ATTACH -> {
                store.mountpaths().attach(which);
                yield which + " is attached";
            }
            case DETACH -> {
                var detached = store.mountpaths().detach(which, false);
                yield "drive %s leaves when its %d objects, %d bytes, are moved"
                        .formatted(
                                detached.id(),
                                detached.known().objects(),
                                detached.known().bytes());
            }
            case DETACH_LOST -> {
                var detached = store.mountpaths().detach(which, true);
                yield "drive %s is declared lost; as far as is known it had %d objects, %d bytes"
                        .formatted(
                                detached.id(),
                                detached.known().objects(),
                                detached.known().bytes());
            }
        };
    }

    @Override
    public List<DriveScrub> scrub(ScrubCommand command) {
        return scrubs.obey(command);
    }

    public BucketReads reads() {
        return reads;
    }

    public Revalidation revalidation() {
        return revalidation;
    }

    public Fills fills() {
        return fills;
    }

    public Scrubs scrubs() {
        return scrubs;
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

    public Resilver resilver() {
        return resilver;
    }

    private void awaitState(long version) {
        if (Await.within(STATE_WAIT, control.watch(version - 1)).isEmpty()) {
            throw new StoreException.Unavailable("this target has not heard of state " + version + " yet");
        }
    }

    @Override
    public void close() {
        jobs.close();
        resilver.close();
        scrubs.close();
        threads.close();
    }
}
