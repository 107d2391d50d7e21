package dev.sluice.proxy.gateway;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.ClusterView;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.http.Route;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.PeerTokens;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.store.StoreException;
import java.net.URI;
import java.util.Optional;

/// The way to a key: to its primary by the newest map that this node has.
public final class RouteToKey implements Route {
    private final ClusterViews views;
    private final PeerTokens tokens;
    private final Bucket bucket;
    private final RequestHead head;
    private final String key;
    private final boolean needsBody;
    private volatile Stage last;

    public RouteToKey(
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
        this.needsBody = needsBody(request);
        this.last = stage(view);
    }

    private Stage stage(ClusterView view) {
        var primary = view.primary(bucket, key);
        var hop = new RelayMark(view.version(), Optional.of(bucket.name()));
        return new Stage(
                primary.id().value(),
                URI.create(primary.url()),
                view.version(),
                hop.headers(head, primary.id(), tokens));
    }

    @Override
    public Stage now() {
        try {
            var view = views.current();
            if (view.version() > last.version()) {
                last = stage(view);
            }
        } catch (StoreException.Unavailable _) {
            return last; // nobody is known to have it
        }
        return last;
    }

    @Override
    public boolean mayMove() {
        return bucket.replicated();
    }

    /// All others are carried out without a look at what else the client sends.
    private static boolean needsBody(S3Request.OnObject request) {
        return request instanceof S3Request.PutObject
                || request instanceof S3Request.UploadPart
                || request instanceof S3Request.CompleteMultipartUpload;
    }

    @Override
    public boolean needsBody() {
        return needsBody;
    }

    @Override
    public boolean isDown(Stage stage) {
        return views.current()
                .state()
                .replication()
                .target(new NodeId(stage.name()))
                .filter(target -> !target.up())
                .isPresent();
    }
}
