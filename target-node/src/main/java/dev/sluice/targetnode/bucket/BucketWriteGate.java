package dev.sluice.targetnode.bucket;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.ClusterView;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.store.StoreException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;

/// Which buckets may be written to, and a gate that keeps the question "is this bucket empty?" apart from
/// writes that are being committed: each commit passes through its bucket's gate, and the question waits until
/// those that went in before it came out.
public final class BucketWriteGate {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final ClusterViews views;
    private final FreeNames names;
    private final Duration patience;
    private final ConcurrentHashMap<String, ReadWriteLock> gates = new ConcurrentHashMap<>();

    /// Whether no drive here has files of a bucket that is gone and had this name.
    public interface FreeNames {
        boolean isFree(ClusterState state, String name);
    }

    public BucketWriteGate(ClusterViews views, FreeNames names) {
        this(views, names, PATIENCE);
    }

    /// @param patience how long the question waits, and with it all writes that come after it
    BucketWriteGate(ClusterViews views, FreeNames names, Duration patience) {
        this.views = views;
        this.names = names;
        this.patience = patience;
    }

    /// One commit's stay in the gate.
    public interface Pass extends AutoCloseable {
        @Override
        void close();
    }

    /// To be held while a change of the bucket's contents is committed.
    ///
    /// @throws StoreException when this target knows that the bucket is going or gone
    public Pass enter(Bucket bucket) {
        var lock = gate(bucket.name()).readLock();
        lock.lock();
        try {
            requireWritable(bucket);
        } catch (StoreException refused) {
            lock.unlock();
            throw refused;
        }
        return lock::unlock;
    }

    /// Does one commit within it. Throws as [#enter].
    public <T> T within(Bucket bucket, Supplier<T> commit) {
        try (var _ = enter(bucket)) {
            return commit.get();
        }
    }

    /// By this target's own, newest table: the caller's may be older. When that one refuses, or has other replicas, by
    /// the controller's: a bucket may have been made, or its deletion refused, a moment ago.
    public void requireWritable(Bucket bucket) {
        var view = views.current();
        if (!find(view, bucket)
                .filter(known -> !known.deleting() && isReplicatedAs(known, bucket))
                .isPresent()) {
            view = views.confirmed();
        }
        var now = find(view, bucket).orElseThrow(() -> new StoreException.NoSuchBucket(bucket.name()));
        if (now.deleting()) {
            throw new StoreException.Unavailable("the bucket %s is being deleted".formatted(bucket.name()));
        }
        if (!isReplicatedAs(now, bucket)) {
            throw new StoreException.Unavailable(
                    "the replicas of bucket %s were changed after the write began: try again".formatted(bucket.name()));
        }
        if (!names.isFree(view.state(), bucket.name())) {
            throw new StoreException.Unavailable(
                    "this target is just dropping a deleted bucket that had the name %s too: try again"
                            .formatted(bucket.name()));
        }
    }

    /// Whether a write that was begun under one of them may end under the other.
    private static boolean isReplicatedAs(Bucket now, Bucket then) {
        return now.properties().replicatesAs(then.properties());
    }

    private static Optional<Bucket> find(ClusterView view, Bucket bucket) {
        return view.bucket(bucket.name()).filter(known -> known.id() == bucket.id());
    }

    /// Returns when all commits that are in the gate now are out.
    ///
    /// @throws StoreException.Unavailable when that takes long
    public void awaitCommitted(Bucket bucket) {
        alone(bucket.name(), () -> {}); // to have had the gate is enough
    }

    /// Drops a removed bucket, unless it is forgotten by now: then its name may be another bucket's, and what
    /// lies under it is that one's. Only a confirmed state can say that it is not: after a restart this node's
    /// own may be an old one for a while. No write enters for another bucket of the name before it is dropped.
    /// The gate is free while it is: a drive may hang.
    ///
    /// @throws StoreException.Unavailable when commits that went in before take long, or no controller answers
    public void drop(String name, long bucketId, Runnable dropping) {
        alone(name, () -> {}); // those that are in it now
        if (views.confirmed().state().buckets().isRemoved(name, bucketId)) {
            dropping.run();
        }
    }

    /// Waits a little while: whoever comes later waits behind this, and what is inside may be a write to the cloud that
    /// takes minutes.
    private void alone(String name, Runnable work) {
        var lock = gate(name).writeLock();
        if (!acquired(lock)) {
            throw new StoreException.Unavailable(
                    "writes to the bucket %s are being committed for longer than %d s: try again when they are done"
                            .formatted(name, patience.toSeconds()));
        }
        try {
            work.run();
        } finally {
            lock.unlock();
        }
    }

    private boolean acquired(Lock lock) {
        try {
            return lock.tryLock(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /// By name, which a bucket shares with those before and after it, as their files share a folder.
    private ReadWriteLock gate(String name) {
        return gates.computeIfAbsent(name, _ -> new ReentrantReadWriteLock(true));
    }
}
