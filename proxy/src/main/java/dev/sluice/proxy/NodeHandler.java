package dev.sluice.proxy;

import dev.sluice.common.http.Answer;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.HttpHandler;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.peer.PeerPaths;
import dev.sluice.common.peer.PeerTokens;
import dev.sluice.common.s3.parse.S3RequestParser;
import dev.sluice.proxy.api.CachedApi;
import dev.sluice.proxy.api.ForgetApi;
import dev.sluice.proxy.api.JobApi;
import dev.sluice.proxy.api.MountpathApi;
import dev.sluice.proxy.api.NativeApi;
import dev.sluice.proxy.api.NewBackend;
import dev.sluice.proxy.api.ResilverApi;
import dev.sluice.proxy.api.SamplesApi;
import dev.sluice.proxy.api.ScrubApi;
import dev.sluice.proxy.api.UsageApi;
import dev.sluice.proxy.gateway.NodePaths;
import dev.sluice.proxy.gateway.RelayMark;
import dev.sluice.proxy.gateway.TargetFanout;
import dev.sluice.proxy.page.PageData;
import dev.sluice.proxy.page.PageHandler;
import dev.sluice.proxy.s3.AccessCheck;
import dev.sluice.proxy.s3.BucketHandlers;
import dev.sluice.proxy.s3.BucketLifecycle;
import dev.sluice.proxy.s3.DeleteObjectsHandler;
import dev.sluice.proxy.s3.ListHandlers;
import dev.sluice.proxy.s3.ObjectRoute;
import dev.sluice.proxy.s3.S3Gateway;
import java.util.Optional;
import java.util.concurrent.Executor;

/// What every node, proxy or target, answers to clients: S3 on all paths but a few of our own.
public final class NodeHandler implements HttpHandler {
    private final S3RequestParser parser;
    private final PeerTokens peerTokens;
    private final HttpHandler s3;
    private final HttpHandler nativeApi;
    private final HttpHandler samples;
    private final HttpHandler peers;
    private final HttpHandler health;
    private final HttpHandler ready;
    private final HttpHandler clusterHealth;
    private final HttpHandler metrics;
    private final HttpHandler page;

    public NodeHandler(NodeParts parts) {
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
                new BucketHandlers(life, parts.region(), parts.encryptedDrives()),
                lists,
                new DeleteObjectsHandler(views, targets));
        this.nativeApi = new NativeApi(
                parts.authenticator(),
                views,
                new NativeApi.Calls(
                        life,
                        new NewBackend(parts.backendRules(), each),
                        new MountpathApi(parts.self(), views, targets),
                        new ScrubApi(each),
                        new ResilverApi(each),
                        new UsageApi(views, each),
                        jobs,
                        new CachedApi(lists),
                        new ForgetApi(parts.control(), each)),
                caller -> PageHandler.path(
                        parts.pages().issue(caller.identity(), parts.clock().instant())));
        this.samples = new SamplesApi(parts.authenticator(), views, targets);
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
        return believed(RelayMark.believed(head, peerTokens));
    }

    private Answer believed(RequestHead head) {
        if (parser.hostBucket(head.headers()).isPresent() || head.headers().has(RelayMark.HEADER)) {
            return s3.answer(head); // the whole path is a key, here or at the node that relayed it
        }
        var path = head.path();
        if (path.startsWith(PeerPaths.PREFIX)) {
            return peers.answer(head);
        }
        if (path.equals(SamplesApi.PATH)) {
            return samples.answer(head);
        }
        if (path.startsWith("/v1/")) {
            return nativeApi.answer(head);
        }
        boolean reads = head.method().equals("GET") || head.method().equals("HEAD");
        if (reads && path.equals(NodePaths.HEALTH)) {
            return health.answer(head);
        }
        if (reads && path.equals(NodePaths.READY)) {
            return ready.answer(head);
        }
        if (reads && path.equals(NodePaths.CLUSTER_HEALTH)) {
            return clusterHealth.answer(head);
        }
        if (reads && path.equals(NodePaths.METRICS)) {
            return metrics.answer(head);
        }
        if (reads && (path.equals(PageHandler.PATH) || path.startsWith(PageHandler.PATH + "/"))) {
            return page.answer(head);
        }
        return s3.answer(head); // which refuses buckets of these names
    }

    /// Only the node that the client sees adds them, not one that a request is relayed to. Its token is not looked at:
    /// when the answer comes it may be too old.
    @Override
    public Headers extraHeaders(RequestHead head) {
        return head.headers().has("Origin") ? s3.extraHeaders(head) : Headers.EMPTY;
    }

    @Override
    public Optional<Executor> threads(RequestHead head) {
        return head.path().startsWith(PeerPaths.PREFIX) ? peers.threads(head) : Optional.empty();
    }

    @Override
    public boolean isVital(RequestHead head) {
        var path = head.path();
        return ((path.startsWith("/v1/") && !path.equals(SamplesApi.PATH))
                        || path.equals(NodePaths.HEALTH)
                        || path.equals(NodePaths.READY)
                        || path.equals(NodePaths.CLUSTER_HEALTH)
                        || path.equals(NodePaths.METRICS))
                && parser.hostBucket(head.headers()).isEmpty();
    }
}
