package dev.sluice.proxy.gateway;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.ClusterView;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.http.Route;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.PeerPaths;
import dev.sluice.common.peer.PeerTokens;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.store.StoreException;
import java.net.URI;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/// The way of a read of a cached bucket: to the key's primary; past that one while it is away, to the next target of
/// the ranking that is up, which asks the cloud and keeps nothing. Belongs to one request.
public final class CachedReadRoute implements Route {
    private final ClusterViews views;
    private final PeerTokens tokens;
    private final Bucket bucket;
    private final RequestHead head;
    private final String key;
    private final Set<NodeId> left = new HashSet<>();
    private volatile Stage last;

    public CachedReadRoute(
            ClusterViews views,
            PeerTokens tokens,
            ClusterView view,
            Bucket bucket,
            S3Request.OnObject request,
            RequestHead head) {
        this.views = views;
        this.tokens = tokens;
        this.bucket = bucket;
        this.head = head;
        this.key = request.name().key();
        var primary = view.primary(bucket, key);
        this.last = stage(view, primary, false);
        if (view.isDown(primary.id())) {
            var _ = past(view, last);
        }
    }

    /// Whether a request may be answered by another target than the primary, from the cloud.
    public static boolean suits(S3Request.OnObject request, Bucket bucket) {
        return bucket.backed() && (request instanceof S3Request.GetObject || request instanceof S3Request.HeadObject);
    }

    /// Who answers for the primary when the state says that it is down. Empty while it does not, or all are down.
    public static Optional<Node> substitute(ClusterView view, Bucket bucket, String key) {
        return view.isDown(view.primary(bucket, key).id()) ? next(view, bucket, key, Set.of()) : Optional.empty();
    }

    private static Optional<Node> next(ClusterView view, Bucket bucket, String key, Set<NodeId> without) {
        return view.ranking(bucket, key).stream()
                .filter(node -> !without.contains(node.id()) && !view.isDown(node.id()))
                .findFirst();
    }

    private Stage stage(ClusterView view, Node node, boolean away) {
        var hop = new RelayMark(view.version(), Optional.of(bucket.name()), away);
        return new Stage(
                node.id().value(), URI.create(node.url()), view.version(), hop.headers(head, node.id(), tokens));
    }

    @Override
    public Stage now() {
        return last;
    }

    @Override
    public Optional<Stage> past(Stage away) {
        try {
            return past(views.current(), away);
        } catch (StoreException.Unavailable _) {
            return Optional.empty(); // this node knows nobody
        }
    }

    private Optional<Stage> past(ClusterView view, Stage away) {
        left.add(new NodeId(away.name()));
        var next = next(view, bucket, key, left).map(node -> stage(view, node, true));
        next.ifPresent(stage -> last = stage);
        return next;
    }

    @Override
    public Optional<Ping> ping(Stage stage) {
        var token = tokens.issue(new NodeId(stage.name()), "GET", PeerPaths.PING);
        return Optional.of(new Ping(PeerPaths.PING, Headers.of(PeerTokens.HEADER, token)));
    }

    /// The primary is fixed: by a newer map it is the same.
    @Override
    public boolean mayMove() {
        return false;
    }

    @Override
    public boolean needsBody() {
        return false;
    }

    @Override
    public boolean isDown(Stage stage) {
        try {
            return views.current().isDown(new NodeId(stage.name()));
        } catch (StoreException.Unavailable _) {
            return false;
        }
    }
}
