package dev.sluice.targetnode.bucket;

import dev.sluice.common.cluster.BucketTable;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.scrub.KnownBuckets;
import java.util.Optional;
import java.util.function.Function;

/// The buckets of the cluster's state, with those that are removed but may still have files here.
public final class BucketNames implements KnownBuckets {
    private final ClusterViews views;

    public BucketNames(ClusterViews views) {
        this.views = views;
    }

    @Override
    public Optional<BucketRef> withId(long id) {
        return find(table -> withId(table, id));
    }

    private static Optional<BucketRef> withId(BucketTable table, long id) {
        return table.buckets().values().stream()
                .filter(bucket -> bucket.id() == id)
                .findFirst()
                .map(BucketRefs::of)
                .or(() -> table.removed().values().stream()
                        .filter(removed -> removed.id() == id)
                        .findFirst()
                        .map(removed -> new BucketRef(id, removed.name())));
    }

    @Override
    public Optional<BucketRef> named(String name) {
        return find(table -> table.find(name)
                .map(BucketRefs::of)
                .or(() -> Optional.ofNullable(table.removed().get(table.lastRemoval(name)))
                        .map(removed -> new BucketRef(removed.id(), name))));
    }

    /// In what this node knows, else in what the controller says now.
    private Optional<BucketRef> find(Function<BucketTable, Optional<BucketRef>> look) {
        return look.apply(views.current().state().buckets())
                .or(() -> look.apply(views.confirmed().state().buckets()));
    }
}
