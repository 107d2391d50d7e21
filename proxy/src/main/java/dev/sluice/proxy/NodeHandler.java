package dev.sluice.proxy;

import dev.sluice.common.auth.Authenticator;
import dev.sluice.common.auth.PageTokens;
import dev.sluice.common.auth.RedirectTokens;
import dev.sluice.common.cluster.BackendSpec;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.http.Answer;
import dev.sluice.common.http.HttpHandler;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.metrics.Metrics;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.PeerPaths;
import dev.sluice.common.peer.PeerTokens;
import dev.sluice.common.s3.parse.S3RequestParser;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;

/// What every node, proxy or target, answers to clients: S3 on all paths but a few of our own.
public final class NodeHandler implements HttpHandler {
    static final String CLUSTER_HEALTH = "/health/cluster";
    static final String READY = "/health/ready";

    private final S3RequestParser parser;
    private final PeerTokens peerTokens;
    private final HttpHandler s3;
    private final HttpHandler nativeApi;
    private final HttpHandler peers;
    private final HttpHandler health;
    private final HttpHandler ready;
    private final HttpHandler clusterHealth;
    private final HttpHandler metrics;
    private final HttpHandler page;

    /// What a gateway is made of.
    ///
    /// @param self the node it belongs to
    /// @param region the one region of this cluster, or `*` for any
    /// @param redirects makes and checks the tokens of redirects
    /// @param pages the same of links to the cluster's page
    /// @param peerApi what this node answers to other nodes
    /// @param ready whether clients are to be sent here now
    /// @param metricsOf of the process of a node; says Unavailable when it does not answer. May block
    /// @param backendRules throws an IllegalArgumentException for a backend that this node's configuration refuses
    public record Parts(
            NodeId self,
            String region,
            RedirectTokens redirects,
            PageTokens pages,
            S3RequestParser parser,
            Authenticator authenticator,
            PeerTokens peerTokens,
            ControlPlane control,
            ClusterViews views,
            Targets targets,
            HttpHandler peerApi,
            HttpHandler health,
            HttpHandler ready,
            HttpHandler clusterHealth,
            HttpHandler metrics,
            Function<Node, Metrics> metricsOf,
            Consumer<BackendSpec> backendRules,
            InstantSource clock) {}

    public NodeHandler(Parts parts) {
        var tokens = parts.redirects();
        var views = parts.views();
        var targets = parts.targets();
        var lists = new ListHandlers(views, targets);
        var life = new BucketLifecycle(parts.control(), views, targets, lists, parts.clock());
        var each = new TargetFanout(views, targets);
        var jobs = new JobApi(parts.control(), views, targets, each, parts.clock());
        this.parser = parts.parser();
        this.peerTokens = parts.peerTokens();
        this.s3 = new S3Gateway(
                parts.parser(),
                new AccessCheck(parts.authenticator(), tokens, parts.peerTokens(), parts.clock()),
                views,
                new ObjectRoute(parts.self(), views, targets, parts.peerTokens(), tokens, parts.clock()),
                new BucketHandlers(life, parts.region()),
                lists,
                new DeleteObjectsHandler(views, targets));
        this.nativeApi = new NativeApi(
                parts.authenticator(),
                views,
                life,
                new NewBackend(parts.backendRules(), each),
                new MountpathApi(parts.self(), views, targets),
                new ScrubApi(each),
                new ResilverApi(each),
                new UsageApi(each),
                jobs,
                new CachedApi(lists),
                caller -> parts.pages().issue(caller.identity(), parts.clock().instant()));
        this.peers = parts.peerApi();
        this.health = parts.health();
        this.ready = parts.ready();
        this.clusterHealth = parts.clusterHealth();
        this.metrics = parts.metrics();
        this.page = new PageHandler(
                parts.pages(),
                new PageData(parts.self(), views, parts.metricsOf(), jobs, parts.clock()),
                parts.clock());
    }

    @Override
    public Answer answer(RequestHead head) {
        return believed(Hop.believed(head, peerTokens));
    }

    private Answer believed(RequestHead head) {
        if (parser.hostBucket(head.headers()).isPresent() || head.headers().has(Hop.HEADER)) {
            return s3.answer(head); // the whole path is a key, here or at the node that relayed it
        }
        var path = head.path();
        if (path.startsWith(PeerPaths.PREFIX)) {
            return peers.answer(head);
        }
        if (path.startsWith("/v1/")) {
            return nativeApi.answer(head);
        }
        boolean reads = head.method().equals("GET") || head.method().equals("HEAD");
        if (reads && path.equals("/health")) {
            return health.answer(head);
        }
        if (reads && path.equals(READY)) {
            return ready.answer(head);
        }
        if (reads && path.equals(CLUSTER_HEALTH)) {
            return clusterHealth.answer(head);
        }
        if (reads && path.equals("/metrics")) {
            return metrics.answer(head);
        }
        if (reads && (path.equals(PageHandler.PATH) || path.startsWith(PageHandler.PATH + "/"))) {
            return page.answer(head);
        }
        return s3.answer(head); // which refuses buckets of these names
    }

    @Override
    public Optional<Executor> threads(RequestHead head) {
        return head.path().startsWith(PeerPaths.PREFIX) ? peers.threads(head) : Optional.empty();
    }

    @Override
    public boolean isVital(RequestHead head) {
        var path = head.path();
        return (path.startsWith("/v1/")
                        || path.equals("/health")
                        || path.equals(READY)
                        || path.equals(CLUSTER_HEALTH)
                        || path.equals("/metrics"))
                && parser.hostBucket(head.headers()).isEmpty();
    }
}
