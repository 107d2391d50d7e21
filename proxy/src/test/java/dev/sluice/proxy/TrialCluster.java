package dev.sluice.proxy;

import dev.sluice.common.auth.Authenticator;
import dev.sluice.common.auth.Identity;
import dev.sluice.common.auth.PageTokens;
import dev.sluice.common.auth.RedirectTokens;
import dev.sluice.common.cluster.BackendSpec;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.BucketProperties;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.cluster.planning.Planner;
import dev.sluice.common.cluster.slots.Group;
import dev.sluice.common.cluster.slots.SlotCounts;
import dev.sluice.common.cluster.slots.TargetEntry;
import dev.sluice.common.http.Answer;
import dev.sluice.common.http.Blocking;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.HttpHandler;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody;
import dev.sluice.common.metrics.Metrics;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.PeerClient;
import dev.sluice.common.peer.PeerTokens;
import dev.sluice.common.peer.TargetService;
import dev.sluice.common.placement.Slot;
import dev.sluice.common.s3.BucketDocument;
import dev.sluice.common.s3.parse.S3RequestParser;
import dev.sluice.proxy.gateway.ClusterHealthHandler;
import dev.sluice.proxy.gateway.Targets;
import dev.sluice.proxy.s3.BucketLifecycle;
import dev.sluice.proxy.s3.ListHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// One node's gateway and the cluster behind it. Its clock stands still.
final class TrialCluster implements AutoCloseable {
    static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
    static final String PROXY = "proxy001";
    static final byte[] CLUSTER_KEY = "the key of the cluster".getBytes(StandardCharsets.UTF_8);

    final MemoryControl control;
    final ClusterViews views;
    final Map<NodeId, MemoryTarget> targets = new TreeMap<>();
    private final ConcurrentMap<NodeId, TargetService> here = new ConcurrentHashMap<>();
    final BucketLifecycle life;
    volatile SlotCounts slots = SlotCounts.NONE;
    volatile Set<NodeId> muted = Set.of();
    volatile String metrics = "";
    private final PeerClient peers;
    private final NodeHandler door;

    /// Three targets in the JVM of the node `self`.
    static TrialCluster asSeenFrom(String self) {
        return new TrialCluster(self, "us-east-1", true);
    }

    TrialCluster(String self, String region, boolean sameJvm) {
        this(self, region, sameJvm, false);
    }

    /// Its drives are encrypted, says its operator.
    static TrialCluster withEncryptedDrives() {
        return new TrialCluster(PROXY, "us-east-1", true, true);
    }

    private TrialCluster(String self, String region, boolean sameJvm, boolean encryptedDrives) {
        var ids = IntStream.rangeClosed(1, 3).mapToObj(TrialCluster::id).toList();
        var state = ClusterState.create(
                "trial", new TreeSet<>(ids), new TreeMap<>(Map.of(SignedRequest.ACCESS_KEY, SignedRequest.SECRET_KEY)));
        for (var id : ids) {
            var target = new MemoryTarget(id.value());
            targets.put(id, target);
            if (sameJvm) {
                here.put(id, target);
            }
            state = Planner.next(
                    state, new Command.Join(new Node(id, Role.TARGET, "http://%s:8080".formatted(id.value()), "", 1)));
            var drive = new Command.RegisteredDrive("drive of " + id.value(), 1, true);
            state = Planner.next(state, new Command.Register(id, "nonce", 0, "boot", List.of(drive)));
            int number = targets.size() - 1;
            target.serves(Group.slotsFor(ids.size(), false), slot -> slot % ids.size() == number, 1);
        }
        control = new MemoryControl(state);
        views = new ClusterViews(control);
        var node = new NodeId(self);
        var tokens = new PeerTokens(node, CLUSTER_KEY, () -> NOW);
        peers = new PeerClient(tokens);
        var targets = new Targets(here, peers);
        life = new BucketLifecycle(control, views, targets, new ListHandlers(views, targets), () -> NOW);
        HttpHandler nothing = _ -> Response.empty(204);
        door = new NodeHandler(new NodeParts(
                node,
                region,
                encryptedDrives,
                new RedirectTokens(CLUSTER_KEY, Duration.ofSeconds(60)),
                new PageTokens(CLUSTER_KEY),
                new S3RequestParser(List.of("s3.example.com")),
                Authenticator.of(() -> views.current().keys(), region, () -> NOW),
                tokens,
                control,
                views,
                new Targets(here, peers),
                nothing,
                nothing,
                nothing,
                new ClusterHealthHandler(node, () -> slots, () -> muted),
                nothing,
                _ -> Metrics.of(0, metrics),
                TrialCluster::onlyViaLab,
                () -> NOW));
    }

    /// With another time limit than the door's.
    ListHandlers lists(Duration patience) {
        return new ListHandlers(views, new Targets(here, peers), patience);
    }

    /// Stands for the rules of a node's configuration.
    private static void onlyViaLab(BackendSpec spec) {
        if (!spec.via().equals(Optional.of("lab"))) {
            throw new IllegalArgumentException(
                    "the configuration has no " + spec.via().orElse("such endpoint"));
        }
    }

    Bucket bucket(String name) {
        return bucket(name, BucketProperties.defaults(Optional.empty()));
    }

    Bucket bucket(String name, BucketProperties properties) {
        return find(control.apply(new Command.CreateBucket(name, 42, properties)), name);
    }

    Bucket backed(String name) {
        var cloud = BackendSpec.of("s3://cloud");
        return bucket(name, BucketProperties.defaults(Optional.of(cloud)));
    }

    Bucket withPolicy(String name, String... statements) {
        var policy = "{\"Version\":\"2012-10-17\",\"Statement\":[%s]}".formatted(String.join(",", statements));
        return bucket(
                name, BucketProperties.defaults(Optional.empty()).with(BucketDocument.POLICY, Optional.of(policy)));
    }

    static String statement(String effect, String action, String resource) {
        return "{\"Effect\":\"%s\",\"Principal\":\"*\",\"Action\":\"%s\",\"Resource\":\"arn:aws:s3:::%s\"}"
                .formatted(effect, action, resource);
    }

    /// These targets have dropped all buckets that are gone.
    void dropRemoved(int... numbers) {
        var _ = control.applyElsewhere(droppedBy(numbers));
    }

    static Command droppedBy(int... numbers) {
        var drives = Arrays.stream(numbers)
                .mapToObj(number -> "drive of " + id(number).value())
                .collect(Collectors.toCollection(TreeSet::new));
        return new Command.DroppedBuckets(drives, Long.MAX_VALUE);
    }

    boolean isRemoved(Bucket bucket) {
        return control.confirm().buckets().isRemoved(bucket.name(), bucket.id());
    }

    Optional<Bucket> known(String name) {
        return control.confirm().buckets().find(name);
    }

    static Bucket find(ClusterState state, String name) {
        return state.buckets().find(name).orElseThrow();
    }

    Node primary(Bucket bucket, String key) {
        return views.current().routing().primary(Slot.of(bucket.id(), key));
    }

    /// The target that keeps this key; with the key put there.
    MemoryTarget put(Bucket bucket, String key) {
        var target = target(primary(bucket, key).id());
        target.keys(bucket.id()).add(key);
        return target;
    }

    MemoryTarget target(NodeId id) {
        return Optional.ofNullable(targets.get(id)).orElseThrow();
    }

    MemoryTarget target(int number) {
        return target(id(number));
    }

    /// The controllers note that this target is down.
    void down(int number) {
        entry(number, (id, entry) -> new Command.Down(id, entry.version(), new TreeMap<>()));
    }

    /// This target is in this JVM no more.
    void leaves(int number) {
        here.remove(id(number));
    }

    void up(int number) {
        entry(number, (id, entry) -> new Command.Up(id, entry.incarnation()));
    }

    private void entry(int number, BiFunction<NodeId, TargetEntry, Command> change) {
        var id = id(number);
        control.changeElsewhere(state -> Planner.next(
                state, change.apply(id, state.replication().target(id).orElseThrow())));
    }

    static NodeId id(int number) {
        return new NodeId("target%03d".formatted(number));
    }

    /// A key that this target keeps.
    String keyOf(Bucket bucket, String target) {
        return IntStream.range(0, 10_000)
                .mapToObj(i -> "key" + i)
                .filter(key -> primary(bucket, key).id().value().equals(target))
                .findFirst()
                .orElseThrow();
    }

    /// A key of a replicated bucket whose primary this target is.
    String replicaKeyOf(Bucket bucket, String target) {
        return IntStream.range(0, 10_000)
                .mapToObj(i -> "key" + i)
                .filter(key -> views.current().primary(bucket, key).id().value().equals(target))
                .findFirst()
                .orElseThrow();
    }

    List<String> calls() {
        var calls = new ArrayList<String>();
        targets.forEach((id, target) -> target.calls().forEach(call -> calls.add(id.value() + " " + call.key())));
        return calls;
    }

    String token(byte[] clusterKey, Instant issued, String method, String bucket, String key) {
        return new RedirectTokens(clusterKey, Duration.ofSeconds(60))
                .issue(
                        new RedirectTokens.Request(method, bucket, key, ""),
                        new Identity.User(SignedRequest.ACCESS_KEY),
                        1,
                        issued);
    }

    /// What the door says to a request that needs no body.
    Answer answer(RequestHead head) {
        return answer(head, "");
    }

    Answer answer(RequestHead head, String body) {
        var answer = door.answer(head);
        return answer instanceof Blocking(var work)
                ? work.run(ByteSource.of(ByteBuffer.wrap(body.getBytes(StandardCharsets.UTF_8))))
                : answer;
    }

    Response response(RequestHead head) {
        return (Response) answer(head);
    }

    /// What the door adds to each answer to this request.
    Headers extraHeaders(RequestHead head) {
        return door.extraHeaders(head);
    }

    Response send(String line, String body, String... headers) {
        return (Response) answer(SignedRequest.of(line, body, headers), body);
    }

    static String text(Response response) {
        return response.body() instanceof ResponseBody.Bytes(var bytes)
                ? StandardCharsets.UTF_8.decode(bytes.duplicate()).toString()
                : response.body().toString();
    }

    /// Status and S3 code: `403 AccessDenied`; only the status of a success.
    static String outcome(Response response) {
        var xml = text(response);
        int code = xml.indexOf("<Code>");
        return response.status() < 300 || code < 0
                ? Integer.toString(response.status())
                : response.status() + " " + xml.substring(code + 6, xml.indexOf("</Code>"));
    }

    @Override
    public void close() {
        peers.close();
    }
}
