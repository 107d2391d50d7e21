package dev.sluice.proxy;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.ClusterView;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.http.Way;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import java.net.URI;
import java.util.Optional;

/// The way to a key: to its primary by the newest map that this node has.
final class KeyWay implements Way {
    private final ClusterViews views;
    private final Bucket bucket;
    private final String key;
    private volatile Stage last;

    KeyWay(ClusterViews views, ClusterView view, Bucket bucket, String key) {
        this.views = views;
        this.bucket = bucket;
        this.key = key;
        this.last = stage(view);
    }

    private Stage stage(ClusterView view) {
        var primary = view.primary(bucket, key);
        var hop = new Hop(view.version(), Optional.of(bucket.name()));
        return new Stage(primary.id().value(), URI.create(primary.url()), view.version(), hop.header());
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
