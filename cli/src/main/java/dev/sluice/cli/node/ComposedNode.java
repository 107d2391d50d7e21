package dev.sluice.cli.node;

import dev.sluice.backend.BackendSettings;
import dev.sluice.cli.config.AuthConfig;
import dev.sluice.cli.config.NodeConfig;
import dev.sluice.cli.config.NodeRole;
import dev.sluice.cli.process.Build;
import dev.sluice.common.auth.Authenticator;
import dev.sluice.common.auth.PageTokens;
import dev.sluice.common.auth.RedirectTokens;
import dev.sluice.common.auth.SealedSecrets;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.cluster.slots.SlotCounts;
import dev.sluice.common.http.engine.AccessLog;
import dev.sluice.common.http.engine.EngineConfig;
import dev.sluice.common.http.engine.EngineMetrics;
import dev.sluice.common.http.engine.HttpServer;
import dev.sluice.common.http.engine.TlsFiles;
import dev.sluice.common.metrics.Metrics;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.ClusterTls;
import dev.sluice.common.peer.Controllers;
import dev.sluice.common.peer.PeerAddress;
import dev.sluice.common.peer.PeerClient;
import dev.sluice.common.peer.PeerTokens;
import dev.sluice.common.s3.parse.S3RequestParser;
import dev.sluice.common.store.StoreException;
import dev.sluice.proxy.NodeHandler;
import dev.sluice.proxy.NodeParts;
import dev.sluice.proxy.gateway.ClusterHealthHandler;
import dev.sluice.proxy.gateway.ClusterMetrics;
import dev.sluice.proxy.gateway.HealthHandler;
import dev.sluice.proxy.gateway.MetricsHandler;
import dev.sluice.proxy.gateway.Targets;
import dev.sluice.proxy.s3.S3Operations;
import dev.sluice.targetnode.TargetNode;
import dev.sluice.targetnode.admin.TargetSettings;
import dev.sluice.targetnode.controller.ControllerHost;
import dev.sluice.targetnode.controller.ControllerNode;
import dev.sluice.targetnode.expiry.ExpirySettings;
import dev.sluice.targetnode.object.ObjectSizeLimit;
import dev.sluice.targetnode.peer.PeerApi;
import dev.sluice.targetnode.storage.ObjectStore;
import dev.sluice.targetnode.storage.StoreConfig;
import dev.sluice.targetnode.storage.resilver.ResilverSettings;
import dev.sluice.targetnode.storage.scrub.ScrubSettings;
import dev.sluice.targetnode.storage.space.CoarseClock;
import dev.sluice.targetnode.storage.space.Watermarks;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One node, proxy or target, put together: the composition root of the whole system. Reads top to bottom.
final class ComposedNode implements RunningNode {
    private static final Logger LOG = LoggerFactory.getLogger(ComposedNode.class);
    private static final Duration JOIN_AGAIN = Duration.ofMillis(50);
    private static final Duration SILENT_AT_FIRST = Duration.ofSeconds(5);
    private static final Duration METRICS = Duration.ofSeconds(2);
    private static final Duration COMPLAIN_EVERY = Duration.ofSeconds(60);

    private final NodeConfig config;
    private final JvmRuntime jvm;
    private final NodeId id;
    private final InstantSource clock = InstantSource.system();
    private final Deque<AutoCloseable> parts = new ArrayDeque<>(); // in the order they are closed
    private Optional<TargetNode> target = Optional.empty();
    private Optional<ControllerHost> controller = Optional.empty();
    private final PeerTokens tokens;
    private final PeerClient peers;
    private final ControlPlane control;
    private final ClusterViews views;
    private final HttpServer server;
    private volatile boolean joined;
    private volatile boolean closing;

    static ComposedNode start(NodeConfig config, JvmRuntime jvm) throws IOException {
        return new ComposedNode(config, jvm);
    }

    private ComposedNode(NodeConfig config, JvmRuntime jvm) throws IOException {
        this.config = config;
        this.jvm = jvm;
        this.id = config.node().nodeId();
        var started = false;
        try {
            tokens = new PeerTokens(id, clusterKey(), clock);
            peers = closedLast(new PeerClient(tokens, peerTls()));
            var store = isTarget()
                    ? Optional.of(closedLast(TargetNode.attach(
                            storeConfig(),
                            config.storage().healthCheckInterval().duration())))
                    : noStore();
            control = controlPlane(store);
            views = new ClusterViews(control);
            if (store.isPresent()) {
                target = Optional.of(closedLast(TargetNode.open(
                        id,
                        store.get(),
                        control,
                        views,
                        peers,
                        config.backends().rules(),
                        backendSettings(),
                        new TargetSettings(
                                new ObjectSizeLimit(config.limits().objectSize().bytes()),
                                scrubSettings(),
                                resilverSettings(),
                                new ExpirySettings(
                                        config.limits().lifecycleInterval().duration(),
                                        config.limits().lifecycleDay().duration()),
                                config.storage().encrypted()),
                        jvm.meters())));
                jvm.targets().put(id, target.get().service());
            }
            server = closedLast(HttpServer.start(
                    engineConfig(),
                    jvm.loops(),
                    new InetSocketAddress(
                            config.node().address().host(),
                            config.node().address().port()),
                    gateway(),
                    new EngineMetrics(jvm.meters(), id.value(), new S3Operations(s3Parser())),
                    new S3FailureAnswers(),
                    accessLog()));
            meter();
            var self = self(store.map(TargetNode::weight).orElse(0.0));
            Thread.ofVirtual().name("join").start(() -> join(self));
            started = true;
        } finally {
            if (!started) {
                close();
            }
        }
    }

    private static Optional<ObjectStore> noStore() {
        return Optional.empty();
    }

    private <T extends AutoCloseable> T closedLast(T part) {
        parts.addFirst(part);
        return part;
    }

    // ---- the control plane

    private ControlPlane controlPlane(Optional<ObjectStore> store) throws IOException {
        var targets = targets();
        var controllers = Controllers.among(targets);
        if (controllers.stream().anyMatch(each -> each.id().equals(id))) {
            var here = closedLast(ControllerHost.open(
                    id,
                    TargetNode.stateDrives(
                            store.orElseThrow(), Set.copyOf(config.drives().lost())),
                    targets,
                    credentials(),
                    peers));
            store.orElseThrow().keepWhile(here::isKeptOn);
            controller = Optional.of(here);
            jvm.controllers().put(id, here.service());
        }
        var plane = closedLast(new Controllers(
                controllers,
                jvm.controllers(),
                peers,
                new SealedSecrets(clusterKey()),
                config.auth().enabled()));
        controller.ifPresent(here -> here.start(plane));
        return plane;
    }

    private List<PeerAddress> targets() {
        return config.cluster().nodes().stream()
                .filter(member -> member.role() == NodeRole.TARGET)
                .map(member -> new PeerAddress(new NodeId(member.id()), member.url()))
                .toList();
    }

    private SortedMap<String, String> credentials() {
        return new TreeMap<>(
                config.auth().enabled()
                        ? Map.of(config.auth().accessKey(), config.auth().secretKey())
                        : Map.of());
    }

    private Node self(double weight) {
        return new Node(
                id,
                isTarget() ? Role.TARGET : Role.PROXY,
                config.node().url(),
                config.node().zone(),
                weight);
    }

    private void join(Node self) {
        long complainAfter = System.nanoTime() + SILENT_AT_FIRST.toNanos();
        while (!joined && !closing) {
            try {
                control.apply(new Command.Join(self));
                joined = true;
            } catch (StoreException.Unavailable e) {
                if (System.nanoTime() > complainAfter) {
                    LOG.warn("{} still waits for the controller: {}", id, e.getMessage());
                    complainAfter = System.nanoTime() + COMPLAIN_EVERY.toNanos();
                }
                LockSupport.parkNanos(JOIN_AGAIN.toNanos());
            } catch (StoreException refused) {
                LOG.error("{} may not join the cluster: {}", id, refused.getMessage());
                return;
            }
        }
    }

    // ---- what it answers

    private NodeHandler gateway() {
        return new NodeHandler(new NodeParts(
                id,
                config.auth().region(),
                config.storage().encrypted(),
                new RedirectTokens(
                        clusterKey(), config.http().redirectTokenLife().duration()),
                new PageTokens(clusterKey()),
                s3Parser(),
                config.auth().enabled()
                        ? Authenticator.of(
                                () -> views.current().keys(), config.auth().region(), clock)
                        : Authenticator.lettingAnyoneIn(),
                tokens,
                control,
                views,
                new Targets(jvm.targets(), peers),
                new PeerApi(
                        tokens,
                        new SealedSecrets(clusterKey()),
                        target.map(TargetNode::service),
                        target.map(TargetNode::replica),
                        controller.map(ControllerNode.class::cast),
                        views),
                health(this::whyNotReady),
                health(this::whyNoClients),
                new ClusterHealthHandler(id, this::slotCounts, this::muted),
                new MetricsHandler(jvm.meters()),
                this::metricsOf,
                config.backends().rules()::connection,
                clock));
    }

    private Metrics metricsOf(Node node) {
        long asked = System.nanoTime();
        var text = peers.get(PeerAddress.of(node), "/metrics", "", METRICS);
        return Metrics.of(asked, new String(text, StandardCharsets.UTF_8));
    }

    /// On loopback `*.localhost` needs no DNS. The name that other nodes call this one by is no bucket's.
    private S3RequestParser s3Parser() {
        var domains = new ArrayList<>(config.http().baseDomains());
        if (AuthConfig.isLoopback(config.node().address().host())) {
            domains.add("localhost");
        }
        if (!domains.isEmpty()) {
            domains.add(URI.create(config.node().url()).getHost());
        }
        return new S3RequestParser(domains);
    }

    private AccessLog accessLog() throws IOException {
        var file = config.log().accessLog();
        return file.isEmpty() ? AccessLog.NONE : closedLast(JsonAccessLog.open(id.value(), Path.of(file)));
    }

    private void meter() {
        var metrics = new ClusterMetrics(jvm.meters(), id, Build.ofThis().toString());
        metrics.state(this::slotCounts, this::muted);
        controller.ifPresent(here -> metrics.controller(here::health));
    }

    private SlotCounts slotCounts() {
        return views.current().allSlotCounts();
    }

    private Set<NodeId> muted() {
        return views.current().state().replication().muted();
    }

    private HealthHandler health(Supplier<Optional<String>> whyNot) {
        return new HealthHandler(
                id,
                Build.ofThis().toString(),
                whyNot,
                () -> target.map(node -> node.service().mountpaths()).orElse(List.of()),
                () -> controller.map(ControllerHost::health));
    }

    /// Why clients are to be sent to other nodes.
    private Optional<String> whyNoClients() {
        return whyNotReady()
                .or(() -> closing ? Optional.of("the node stops") : Optional.empty())
                .or(() -> target.map(TargetNode::leased).orElse(true)
                        ? Optional.empty()
                        : Optional.of("the target has no lease: it does not reach enough controllers"));
    }

    private Optional<String> whyNotReady() {
        if (!joined) {
            return Optional.of("waiting for the controller");
        }
        if (!target.map(TargetNode::ready).orElse(true)) {
            return Optional.of("a drive is being opened, its index rebuilt, or the target registered");
        }
        try {
            control.current();
            return Optional.empty();
        } catch (StoreException.Unavailable e) {
            return Optional.of("waiting for all targets to join");
        }
    }

    // ---- settings

    private boolean isTarget() {
        return config.node().role() == NodeRole.TARGET;
    }

    private byte[] clusterKey() {
        return config.auth().clusterKey().getBytes(StandardCharsets.UTF_8);
    }

    private StoreConfig storeConfig() {
        var storage = config.storage();
        return new StoreConfig(
                clusterMark(),
                id.value(),
                config.drives().folders(),
                Set.copyOf(config.drives().lost()),
                storage.reserve().bytes(),
                storage.driveThreads(),
                512,
                jvm.bodyMemory(config.limits()) / 4, // a slow drive leaves the others most of it
                storage.openFileCache(),
                storage.memoryCache().bytes(),
                Math.toIntExact(config.http().smallObjectThreshold().bytes()),
                storage.checksumRecheckInterval().duration(),
                new Watermarks(storage.highWatermark(), storage.lowWatermark()),
                CoarseClock.ofSystem(),
                jvm.indexMemory());
    }

    private ScrubSettings scrubSettings() {
        var storage = config.storage();
        return new ScrubSettings(storage.scrubPeriod().duration(), (long) storage.scrubRate() << 20);
    }

    private ResilverSettings resilverSettings() {
        return new ResilverSettings((long) config.storage().resilverRate() << 20, ResilverSettings.GRACE);
    }

    /// Drives remember which cluster they belong to by a digest of its key.
    private String clusterMark() {
        try {
            var digest = MessageDigest.getInstance("SHA-256").digest(clusterKey());
            return HexFormat.of().formatHex(digest, 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private BackendSettings backendSettings() {
        return BackendSettings.DEFAULT
                .maxConnections(config.limits().backendRequests())
                .requestsPerSecond(config.limits().backendRate());
    }

    /// The nodes of a cluster show one certificate, or certificates of one chain: the engine trusts the same.
    private Optional<SSLContext> peerTls() throws IOException {
        return config.http().tls()
                ? Optional.of(ClusterTls.trusting(Path.of(config.http().tlsCertificate())))
                : Optional.empty();
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private EngineConfig engineConfig() {
        var http = config.http();
        var defaults = EngineConfig.DEFAULTS;
        return new EngineConfig(
                Math.toIntExact(config.limits().headerSize().bytes()),
                defaults.maxUriBytes(),
                config.limits().connections(),
                http.idleTimeout().duration(),
                defaults.headerTimeout(),
                shorter(defaults.progressTimeout(), http.slowClientTimeout().duration()),
                http.slowClientTimeout().duration(),
                defaults.progressBytes(),
                defaults.lingerTimeout(),
                defaults.connectTimeout(),
                defaults.forwardTimeout(),
                Math.toIntExact(http.smallObjectThreshold().bytes()),
                defaults.inboundQueueBytes(),
                jvm.bodyMemory(config.limits()),
                http.tls()
                        ? Optional.of(new TlsFiles(
                                Path.of(http.tlsCertificate()), Path.of(http.tlsKey()), Path.of(http.tlsCertificate())))
                        : Optional.empty());
    }

    // ---- life

    @Override
    public NodeId id() {
        return id;
    }

    @Override
    public String url() {
        return config.node().url();
    }

    @Override
    public boolean ready() {
        return whyNotReady().isEmpty();
    }

    @Override
    public void drain(Duration longest) {
        closing = true;
        controller.ifPresent(ControllerHost::endWatches);
        if (!server.drain(longest)) {
            LOG.warn("{} leaves requests unfinished", id);
        }
    }

    @Override
    public void close() {
        closing = true;
        jvm.targets().remove(id);
        jvm.controllers().remove(id);
        for (var part : parts) {
            try {
                part.close();
            } catch (Exception e) {
                LOG.error("{}: closing {}", id, part.getClass().getSimpleName(), e);
            }
        }
    }
}
