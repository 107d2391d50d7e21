package dev.sluice.proxy.s3;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.BucketProperties;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.slots.TargetEntry;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.concurrent.Deadline;
import dev.sluice.common.s3.S3Code;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.store.StoreException;
import dev.sluice.proxy.gateway.Targets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Function;

/// Creates, changes and deletes buckets: commands to the control plane and, for a deletion, questions to every target.
public final class BucketLifecycle {
    private static final int MOST_TRIES = 20;

    /// In all, for questions to the controllers and to targets.
    private static final Duration CHANGE = Duration.ofSeconds(10);

    private final ControlPlane control;
    private final ClusterViews views;
    private final Targets targets;
    private final ListHandlers lists;
    private final InstantSource clock;

    public BucketLifecycle(
            ControlPlane control, ClusterViews views, Targets targets, ListHandlers lists, InstantSource clock) {
        this.control = control;
        this.views = views;
        this.targets = targets;
        this.lists = lists;
        this.clock = clock;
    }

    /// A name that was another bucket's is free once every target that is up has dropped that one.
    ///
    /// @param properties by the state of the cluster
    public void create(String name, Function<ClusterState, BucketProperties> properties) {
        var _ = Deadline.in(CHANGE).call(() -> created(name, properties));
    }

    private ClusterState created(String name, Function<ClusterState, BucketProperties> properties) {
        var state = control.confirm();
        while (!state.buckets().isFree(name, state.replication()::usable)) {
            state = Await.within(Deadline.atMost(CHANGE), control.watch(state.version()))
                    .orElseThrow(() -> new StoreException.Unavailable(
                            "a bucket %s was deleted, and not every target that is up has dropped it yet"
                                    .formatted(name)));
        }
        return control.apply(new Command.CreateBucket(name, clock.millis(), properties.apply(state)));
    }

    /// New properties, made of the old ones.
    public interface Change<E extends Exception> {
        BucketProperties of(BucketProperties before) throws E;
    }

    /// Nobody else's change gets lost: the new properties are made of the newest, again when others were faster.
    ///
    /// @throws S3Failure when objects of the bucket would have to move
    public <E extends Exception> void change(Bucket bucket, Change<E> change) throws E {
        var deadline = Deadline.in(CHANGE);
        for (int i = 0; i < MOST_TRIES; i++) {
            var now = deadline.call(() -> same(views.confirmed().state(), bucket));
            var changed = change.of(now.properties());
            var after = deadline.call(() -> changed.replicatesAs(now.properties())
                    ? control.apply(new Command.SetBucketProperties(now.name(), now.id(), now.properties(), changed))
                    : changeReplication(now, changed));
            if (same(after, bucket).properties().equals(changed)) {
                return;
            }
        }
        throw new S3Failure(
                S3Code.OPERATION_ABORTED,
                "Others change the bucket %s at the same time: try again.".formatted(bucket.name()));
    }

    /// Only of an empty bucket, which is marked and looked at as for a deletion: so no write under the old properties
    /// is acknowledged after the change.
    private ClusterState changeReplication(Bucket before, BucketProperties changed) {
        ClusterState marked;
        try {
            marked = mark(before.name());
        } catch (StoreException.Unavailable unknown) {
            keep(before); // it may be marked, and nobody would ask again
            throw unknown;
        }
        var bucket = same(marked, before);
        if (!isEmpty(bucket, marked.version(), true, false)) {
            keep(bucket);
            throw new S3Failure(
                    S3Code.NOT_IMPLEMENTED,
                    ("Changing replicas of a bucket with objects, or durability where replicas is more than 1, is not"
                                    + " implemented: %s is not empty. Copy its objects to a new bucket.")
                            .formatted(bucket.name()));
        }
        var command =
                new Command.SetReplication(bucket.name(), bucket.id(), bucket.deletion(), before.properties(), changed);
        try {
            var after = control.apply(command);
            return same(after, bucket).deletion() == bucket.deletion() ? keep(bucket) : after;
        } catch (StoreException refused) {
            keep(bucket); // else no write would be taken any more
            throw refused;
        }
    }

    private ClusterState mark(String name) {
        return control.apply(new Command.MarkDeleting(name));
    }

    /// Also when there is no time left: a bucket that stays marked takes no write.
    private ClusterState keep(Bucket bucket) {
        return Deadline.lifted(() -> control.apply(new Command.KeepBucket(bucket.name(), bucket.id())));
    }

    private static Bucket same(ClusterState state, Bucket bucket) {
        return state.buckets()
                .find(bucket.name())
                .filter(now -> now.id() == bucket.id())
                .orElseThrow(() -> new StoreException.NoSuchBucket(bucket.name()));
    }

    /// The bucket is marked first, so that no target begins another write in it; then every target says whether it is
    /// empty; then it goes, or stays as it was. Safe to repeat when the node that does it dies on the way.
    ///
    /// @param withContents true to delete the bucket whatever is in it. What is in the cloud behind it stays there.
    public void delete(String name, boolean withContents) {
        var _ = Deadline.in(CHANGE).call(() -> deleted(name, withContents));
    }

    private ClusterState deleted(String name, boolean withContents) {
        var marked = mark(name);
        var bucket = marked.buckets().find(name).orElseThrow(() -> new StoreException.NoSuchBucket(name));
        if (!isEmpty(bucket, marked.version(), false, withContents) && !withContents) {
            keep(bucket);
            throw new StoreException.BucketNotEmpty(name);
        }
        var removed = Deadline.lifted( // a bucket that stays marked takes no write
                () -> control.apply(new Command.RemoveBucket(name, bucket.id(), bucket.deletion())));
        if (removed.buckets()
                .find(name)
                .filter(left -> left.id() == bucket.id())
                .isPresent()) {
            throw new StoreException.Unavailable("%s is kept: another deletion of it gave up".formatted(name));
        }
        return removed;
    }

    /// Whether every target says that a marked bucket is empty. Where one does not answer, the bucket is kept.
    ///
    /// @param uploadsCount whether unfinished uploads count; a deletion aborts them
    /// @param withContents whether it goes in any case: all are asked that are up, for their writes to have ended
    private boolean isEmpty(Bucket bucket, long stateVersion, boolean uploadsCount, boolean withContents) {
        try {
            boolean empty = true;
            for (var node : asked(bucket, withContents)) {
                empty &= targets.of(node).isEmpty(bucket, stateVersion, uploadsCount);
                if (!empty && !withContents) {
                    return false;
                }
            }
            return empty && (!bucket.replicated() || lists.isEmpty(bucket));
        } catch (StoreException e) {
            keep(bucket);
            throw e;
        }
    }

    /// A target that is down need not answer where what it has does not count: its drives drop the bucket before they
    /// take part again. Of a replicated bucket it acknowledges nothing before it knows that the bucket is marked.
    private List<Node> asked(Bucket bucket, boolean withContents) {
        var view = views.confirmed();
        return view.routing().targets().stream()
                .filter(node -> !(bucket.replicated() || withContents)
                        || view.state()
                                .replication()
                                .target(node.id())
                                .filter(TargetEntry::up)
                                .isPresent())
                .toList();
    }
}
