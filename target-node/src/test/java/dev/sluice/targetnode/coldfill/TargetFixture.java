package dev.sluice.targetnode.coldfill;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.backend.BackendObject;
import dev.sluice.backend.WriteCondition;
import dev.sluice.common.auth.BodyTerms;
import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.checksum.Hasher;
import dev.sluice.common.cluster.BackendSpec;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.BucketProperties;
import dev.sluice.common.cluster.CacheRules;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.ClusterView;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.cluster.StateWatch;
import dev.sluice.common.cluster.planning.Planner;
import dev.sluice.common.http.Blocking;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.http.Response;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.name.ObjectName;
import dev.sluice.common.peer.ObjectCall;
import dev.sluice.common.peer.PeerClient;
import dev.sluice.common.peer.PeerTokens;
import dev.sluice.common.s3.ByteRange;
import dev.sluice.common.s3.Conditions;
import dev.sluice.common.s3.DeleteConditions;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.ShardMember;
import dev.sluice.common.s3.WriteAttributes;
import dev.sluice.targetnode.admin.TargetHandlers;
import dev.sluice.targetnode.admin.TargetParts;
import dev.sluice.targetnode.admin.TargetSettings;
import dev.sluice.targetnode.bucket.BucketRefs;
import dev.sluice.targetnode.bucket.BucketWriteGate;
import dev.sluice.targetnode.expiry.ExpirySettings;
import dev.sluice.targetnode.object.ObjectSizeLimit;
import dev.sluice.targetnode.quota.Quotas;
import dev.sluice.targetnode.storage.ObjectStore;
import dev.sluice.targetnode.storage.SmallDrive;
import dev.sluice.targetnode.storage.StoreSettings;
import dev.sluice.targetnode.storage.eviction.CachedBuckets;
import dev.sluice.targetnode.storage.eviction.QuotaExcess;
import dev.sluice.targetnode.storage.files.DriveFiles;
import dev.sluice.targetnode.storage.index.RocksMemory;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.resilver.ResilverSettings;
import dev.sluice.targetnode.storage.scrub.ScrubSettings;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;

/// One target's handlers on a drive of a test, with one bucket of its own and one before a cloud in memory.
public final class TargetFixture implements AutoCloseable {
    private static final RocksMemory MEMORY = new RocksMemory(16 << 20, 32 << 20);
    public static final WriteAttributes PLAIN =
            new WriteAttributes(new TreeMap<>(), new TreeMap<>(), Optional.empty(), Map.of(), Optional.empty());

    private static final NodeId NODE = new NodeId("target001");

    private final Path drive;
    private final GatedCloud cloud;
    private final ShiftedClock clock = new ShiftedClock();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final ExecutorService digests = Executors.newFixedThreadPool(2);
    private final PeerClient peers = new PeerClient(new PeerTokens(NODE, new byte[32], InstantSource.system()));
    private final BucketBackends backends;
    private final Bucket own;
    private final Bucket cached;
    private final ClusterViews views;
    private final ObjectStore store;
    private final Quotas quotas;
    private final TargetHandlers handlers;

    private final ControlPlane control;

    private static final class Known implements ControlPlane {
        private final StateWatch published = new StateWatch();

        Known(ClusterState state) {
            published.publish(state);
        }

        @Override
        public ClusterView view() {
            return published.current();
        }

        @Override
        public CompletableFuture<ClusterState> watch(long version) {
            return published.watch(version);
        }

        @Override
        public synchronized ClusterState apply(Command command) {
            published.publish(Planner.next(current(), command));
            return current();
        }

        @Override
        public ClusterState confirm() {
            return current();
        }
    }

    public TargetFixture(Path folder) throws IOException {
        this(folder, 1 << 20);
    }

    /// With what is on the drive in this folder, and in a cloud.
    public TargetFixture(Path folder, GatedCloud cloud) throws IOException {
        this(folder, store -> store.reserve(1 << 20), UnaryOperator.identity(), ObjectSizeLimit.DEFAULT, cloud, false);
    }

    /// @param encryptedDrives whether the operator says so of them
    public TargetFixture(Path folder, boolean encryptedDrives) throws IOException {
        this(
                folder,
                store -> store.reserve(1 << 20),
                UnaryOperator.identity(),
                ObjectSizeLimit.DEFAULT,
                new GatedCloud(),
                encryptedDrives);
    }

    public TargetFixture(Path folder, long reserve) throws IOException {
        this(folder, store -> store.reserve(reserve), UnaryOperator.identity());
    }

    public TargetFixture(Path folder, ObjectSizeLimit limit) throws IOException {
        this(folder, store -> store.reserve(1 << 20), UnaryOperator.identity(), limit, new GatedCloud(), false);
    }

    public TargetFixture(Path folder, UnaryOperator<StoreSettings> settings, UnaryOperator<DriveFiles> seam)
            throws IOException {
        this(folder, settings, seam, ObjectSizeLimit.DEFAULT, new GatedCloud(), false);
    }

    /// @param settings of the store
    /// @param seam around the drive's files
    private TargetFixture(
            Path folder,
            UnaryOperator<StoreSettings> settings,
            UnaryOperator<DriveFiles> seam,
            ObjectSizeLimit limit,
            GatedCloud cloud,
            boolean encryptedDrives)
            throws IOException {
        this.cloud = cloud;
        backends = new BucketBackends((_, _) -> cloud, meters);
        drive = Files.createDirectories(folder.resolve("d1"));
        var spec = BackendSpec.of("s3://memory");
        var state = Planner.next(
                ClusterState.create("cluster1", new TreeSet<>(List.of(NODE)), new TreeMap<>()),
                joinAt("http://127.0.0.1:1"),
                new Command.CreateBucket("own", 1, BucketProperties.defaults(Optional.empty())),
                new Command.CreateBucket("cached", 1, BucketProperties.defaults(Optional.of(spec))));
        own = state.buckets().find("own").orElseThrow();
        cached = state.buckets().find("cached").orElseThrow();
        control = new Known(state);
        views = new ClusterViews(control);
        store = SmallDrive.open(
                settings.apply(new StoreSettings(List.of(drive), MEMORY)).build(), seam);
        quotas = Quotas.start(NODE, store.bucketBytes(), views, peers);
        handlers = new TargetHandlers(
                new TargetParts(NODE, store, control, views, peers, backends, quotas, digests, meters, clock),
                new TargetSettings(
                        limit, ScrubSettings.OFF, ResilverSettings.DEFAULTS, ExpirySettings.DEFAULTS, encryptedDrives));
    }

    private static Command joinAt(String url) {
        return new Command.Join(new Node(NODE, Role.TARGET, url, "", 1));
    }

    /// Where the target finds itself when it asks the primary of a key. Nothing answers there at first.
    public void isReachedAt(String url) {
        control.apply(joinAt(url));
    }

    /// The system's, so much later.
    private static final class ShiftedClock implements InstantSource {
        private volatile Duration ahead = Duration.ZERO;

        @Override
        public Instant instant() {
            return Instant.now().plus(ahead);
        }
    }

    /// Lets time pass for what compares cached objects with the cloud's.
    public void passes(Duration time) {
        clock.ahead = clock.ahead.plus(time);
    }

    public void set(Bucket bucket, CacheRules rules) {
        var before =
                control.current().buckets().find(bucket.name()).orElseThrow().properties();
        control.apply(new Command.SetBucketProperties(
                bucket.name(),
                bucket.id(),
                before,
                new BucketProperties(
                        before.backend(),
                        before.durability(),
                        before.documents(),
                        before.route(),
                        before.localCopies(),
                        before.replicas(),
                        before.minInSync(),
                        before.quota(),
                        rules)));
    }

    public Path drive() {
        return drive;
    }

    public GatedCloud cloud() {
        return cloud;
    }

    BucketBackends backends() {
        return backends;
    }

    public ObjectStore store() {
        return store;
    }

    public ControlPlane control() {
        return control;
    }

    public TargetHandlers handlers() {
        return handlers;
    }

    public Bucket own() {
        return own;
    }

    public Bucket cached() {
        return cached;
    }

    public Quotas quotas() {
        return quotas;
    }

    public void limit(Bucket bucket, long quota) {
        var before =
                control.current().buckets().find(bucket.name()).orElseThrow().properties();
        control.apply(new Command.SetBucketProperties(
                bucket.name(),
                bucket.id(),
                before,
                new BucketProperties(
                        before.backend(),
                        before.durability(),
                        before.documents(),
                        before.route(),
                        before.localCopies(),
                        before.replicas(),
                        before.minInSync(),
                        Optional.of(quota),
                        before.cache())));
    }

    /// As a target does it.
    public void evict() {
        store.evict(new CachedBuckets() {
            @Override
            public List<BucketRef> now() {
                return BucketRefs.evictable(views.current());
            }

            @Override
            public List<QuotaExcess> tooLarge() {
                return quotas.tooLarge();
            }
        });
    }

    /// For a target that is away.
    public Received ofAway(S3Request.OnObject request) {
        var answer = handlers.objectOfAway(call(request, cached, 0));
        return Received.of((Response) (answer instanceof Blocking(var work) ? work.run(ByteSource.empty()) : answer));
    }

    WriteThrough writeThrough(Fills fills) {
        return new WriteThrough(store, backends, fills, newWrites());
    }

    public BucketWriteGate newWrites() {
        return new BucketWriteGate(views, (_, _) -> true);
    }

    public WriteThrough newWriteThrough() {
        return new WriteThrough(store, backends, new Fills(), newWrites());
    }

    ColdFill coldFill(Fills fills, ParallelFetch.Terms parallel) {
        return new ColdFill(
                store,
                backends,
                fills,
                new Revalidation(store, backends, clock),
                new Fetching(digests, parallel),
                NODE,
                new SimpleMeterRegistry());
    }

    // ---- the cloud's side

    public double meter(String name) {
        return meters.get(name).meter().measure().iterator().next().getValue();
    }

    public int gets() {
        return cloud.memory().requests("get");
    }

    public BackendObject inCloud(String key, byte[] content) {
        return cloud.memory().put(key, content.length, source(content), PLAIN, WriteCondition.NONE);
    }

    /// With a checksum that the cloud keeps and tells.
    BackendObject inCloud(String key, byte[] content, ChecksumAlgorithm algorithm) {
        var hasher = Hasher.of(algorithm);
        hasher.add(ByteBuffer.wrap(content));
        var attributes = new WriteAttributes(
                new TreeMap<>(),
                new TreeMap<>(),
                Optional.empty(),
                Map.of(algorithm, hasher.base64()),
                Optional.empty());
        return cloud.memory().put(key, content.length, source(content), attributes, WriteCondition.NONE);
    }

    // ---- a client's side

    public Received get(Bucket bucket, String key) {
        return get(bucket, key, Optional.empty(), Conditions.NONE);
    }

    public Received get(Bucket bucket, String key, Optional<ByteRange> range, Conditions conditions) {
        return Received.of(open(bucket, key, range, conditions));
    }

    /// The answer's head; nothing of the body is taken yet.
    public Response open(Bucket bucket, String key, Optional<ByteRange> range, Conditions conditions) {
        return run(getCall(bucket, key, range, conditions), ByteSource.empty());
    }

    static ObjectCall getCall(Bucket bucket, String key, Optional<ByteRange> range, Conditions conditions) {
        return call(
                new S3Request.GetObject(
                        new ObjectName(bucket.name(), key),
                        range,
                        conditions,
                        Optional.empty(),
                        false,
                        new TreeMap<>(),
                        Optional.empty()),
                bucket,
                0);
    }

    public Received get(Bucket bucket, String key, ShardMember member, Optional<ByteRange> range) {
        return get(bucket, key, member, range, Conditions.NONE);
    }

    public Received get(
            Bucket bucket, String key, ShardMember member, Optional<ByteRange> range, Conditions conditions) {
        var request = new S3Request.GetObject(
                new ObjectName(bucket.name(), key),
                range,
                conditions,
                Optional.empty(),
                true,
                new TreeMap<>(),
                Optional.of(member));
        return Received.of(run(call(request, bucket, 0), ByteSource.empty()));
    }

    public Received head(Bucket bucket, String key) {
        return head(bucket, key, Optional.empty());
    }

    public Received head(Bucket bucket, String key, Optional<ByteRange> range) {
        var request = new S3Request.HeadObject(
                new ObjectName(bucket.name(), key), range, Conditions.NONE, Optional.empty(), false, new TreeMap<>());
        return Received.of(run(call(request, bucket, 0), ByteSource.empty()));
    }

    public Received put(Bucket bucket, String key, byte[] content) {
        return put(bucket, key, content, PLAIN, Conditions.NONE);
    }

    public Received put(Bucket bucket, String key, byte[] content, WriteAttributes attributes, Conditions conditions) {
        var request = new S3Request.PutObject(new ObjectName(bucket.name(), key), attributes, conditions);
        return Received.of(run(call(request, bucket, content.length), source(content)));
    }

    public Received delete(Bucket bucket, String key) {
        return delete(bucket, key, DeleteConditions.NONE);
    }

    public Received delete(Bucket bucket, String key, DeleteConditions conditions) {
        var request = new S3Request.DeleteObject(new ObjectName(bucket.name(), key), conditions);
        return Received.of(run(call(request, bucket, 0), ByteSource.empty()));
    }

    /// An upload of these parts that is ready to be completed.
    public String upload(Bucket bucket, String key, byte[]... parts) {
        var name = new ObjectName(bucket.name(), key);
        var created = Received.of(
                run(call(new S3Request.CreateMultipartUpload(name, PLAIN, false), bucket, 0), ByteSource.empty()));
        var id = created.text().replaceAll("(?s).*<UploadId>(.*)</UploadId>.*", "$1");
        for (int i = 0; i < parts.length; i++) {
            var part = new S3Request.UploadPart(name, id, i + 1, PLAIN);
            Received.of(run(call(part, bucket, parts[i].length), source(parts[i])));
        }
        return id;
    }

    /// CompleteMultipartUpload's call, and the document that goes with it.
    public record Completing(ObjectCall call, S3Request.CompleteMultipartUpload request, String document) {
        public ByteSource body() {
            return source(document.getBytes(StandardCharsets.UTF_8));
        }
    }

    public Completing completing(Bucket bucket, String key, String uploadId, byte[]... parts) {
        return completing(bucket, key, uploadId, Conditions.NONE, parts);
    }

    private static Completing completing(
            Bucket bucket, String key, String uploadId, Conditions conditions, byte[]... parts) {
        var document = new StringBuilder("<CompleteMultipartUpload>");
        for (int i = 0; i < parts.length; i++) {
            document.append("<Part><PartNumber>%d</PartNumber><ETag>%s</ETag></Part>".formatted(i + 1, md5(parts[i])));
        }
        var whole = document.append("</CompleteMultipartUpload>").toString();
        var request = new S3Request.CompleteMultipartUpload(
                new ObjectName(bucket.name(), key), uploadId, Map.of(), conditions);
        return new Completing(call(request, bucket, whole.length()), request, whole);
    }

    public Received complete(Bucket bucket, String key, String uploadId, byte[]... parts) {
        return complete(bucket, key, uploadId, Conditions.NONE, parts);
    }

    public Received complete(Bucket bucket, String key, String uploadId, Conditions conditions, byte[]... parts) {
        var completing = completing(bucket, key, uploadId, conditions, parts);
        return Received.of(run(completing.call(), completing.body()));
    }

    public static ObjectCall call(S3Request.OnObject request, Bucket bucket, long length) {
        var head = new RequestHead(
                "GET",
                "/" + request.name(),
                "",
                Headers.EMPTY,
                length,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 1),
                false,
                "request1");
        return new ObjectCall(request, head, new BodyTerms.Plain(), bucket);
    }

    public Response run(ObjectCall call, ByteSource body) {
        var answer = handlers.object(call);
        var done = answer instanceof Blocking(var work) ? work.run(body) : answer;
        return (Response) done;
    }

    // ---- bytes

    public static ByteSource source(byte[] content) {
        return ByteSource.of(ByteBuffer.wrap(content));
    }

    public static String md5(byte[] content) {
        try {
            return java.util.HexFormat.of()
                    .formatHex(java.security.MessageDigest.getInstance("MD5").digest(content));
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    // ---- afterwards

    public boolean stored(Bucket bucket, String key) {
        return store.list(bucket.id(), key, "", 1).stream()
                .anyMatch(entry -> entry.key().equals(key));
    }

    public void awaitFills() {
        eventually(() -> meters.get("sluice.fills.running").gauge().value() == 0);
    }

    /// No fill, no staging file, no open file and no connection is left behind.
    public void requireNothingLeft() throws IOException {
        awaitFills();
        eventually(() -> cloud.openStreams() == 0);
        try (var files = Files.walk(drive.resolve(".sluice/work"))) {
            assertThat(files.filter(Files::isRegularFile)).isEmpty();
        }
        eventually(() -> openWorkFiles() == 0);
    }

    private long openWorkFiles() {
        try (var open = Files.list(Path.of("/proc/self/fd"))) {
            return open.filter(this::isWorkFile).count();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private boolean isWorkFile(Path descriptor) {
        try {
            var file = Files.readSymbolicLink(descriptor).toString();
            return file.startsWith(drive.toString()) && (file.contains("/.sluice/work/") || file.endsWith("(deleted)"));
        } catch (IOException _) {
            return false; // closed meanwhile
        }
    }

    @Override
    public void close() {
        handlers.close();
        quotas.close();
        awaitFills();
        store.close();
        backends.close();
        peers.close();
        digests.close();
        meters.close();
    }
}
