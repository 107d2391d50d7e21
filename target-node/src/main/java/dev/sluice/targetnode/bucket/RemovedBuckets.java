package dev.sluice.targetnode.bucket;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.ObjectStore;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.record.BucketRef;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Drops what the drives of this target have of buckets that are gone, as soon as it hears of that, and says so to the
/// controllers. A drive that comes drops before it is registered; one that hangs keeps no other waiting. Only what the
/// cluster's state names as removed goes, never what is merely unknown.
public final class RemovedBuckets implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RemovedBuckets.class);

    /// While nothing changes: a drive may have come, or something may not have worked.
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

    /// For another thread that drops on the same drive.
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final ControlPlane control;
    private final ObjectStore store;
    private final BucketWriteGate writes;
    private final DroppedBuckets dropped;
    private final Thread thread = Thread.ofVirtual().name("removed buckets").unstarted(this::run);
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Map<Drive, Future<Long>> running = new HashMap<>(); // of that thread
    private final Map<Drive, ReentrantLock> locks = new ConcurrentHashMap<>();
    private volatile boolean closed;

    public RemovedBuckets(ControlPlane control, ObjectStore store, BucketWriteGate writes, DroppedBuckets dropped) {
        this.control = control;
        this.store = store;
        this.writes = writes;
        this.dropped = dropped;
    }

    public void start() {
        thread.start();
    }

    private void run() {
        while (!closed) {
            try {
                awaitAnotherThan(step());
            } catch (StoreException e) {
                LOG.debug("buckets that were deleted are dropped later: {}", e.getMessage());
                LockSupport.parkNanos(LOOK_AGAIN.toNanos());
            } catch (RuntimeException bug) {
                LOG.error("buckets that were deleted are not dropped: a bug", bug);
                LockSupport.parkNanos(LOOK_AGAIN.toNanos());
            }
        }
    }

    private void awaitAnotherThan(long version) {
        var next = control.watch(version);
        if (Await.within(LOOK_AGAIN, next).isEmpty()) {
            next.cancel(true); // nobody waits for it any more
        }
    }

    /// Each drive by a thread of its own. Those that are not done soon are looked at again with the next step.
    ///
    /// @return the version of the state that it looked at
    long step() {
        var state = control.current();
        long newest = state.buckets().newestRemoval();
        for (var slot : store.drives().slots()) {
            slot.writable()
                    .filter(drive -> dropped.upTo(state, slot.id(), drive) < newest)
                    .ifPresent(drive ->
                            running.computeIfAbsent(drive, _ -> threads.submit(() -> dropOn(state, slot.id(), drive))));
        }
        long until = System.nanoTime() + LOOK_AGAIN.toNanos();
        running.values().forEach(each -> isDone(each, until - System.nanoTime()));
        running.values().removeIf(Future::isDone);
        report(state);
        return state.version();
    }

    private static boolean isDone(Future<Long> work, long nanos) {
        try {
            return Await.within(Duration.ofNanos(Math.max(0, nanos)), work).isPresent();
        } catch (StoreException failure) {
            LOG.debug("a drive drops deleted buckets later: {}", failure.getMessage());
            return false;
        }
    }

    private void report(ClusterState state) {
        var behind = state.buckets().behind();
        var drives = new TreeMap<Long, TreeSet<String>>();
        for (var slot : store.drives().slots()) {
            var known = Optional.ofNullable(behind.get(slot.id()));
            var here = slot.writable().map(drive -> dropped.upTo(state, slot.id(), drive));
            if (known.isPresent() && here.isPresent() && here.get() > known.get()) {
                drives.computeIfAbsent(here.get(), _ -> new TreeSet<>()).add(slot.id());
            }
        }
        drives.forEach((upTo, some) -> {
            var _ = control.apply(new Command.DroppedBuckets(some, upTo));
        });
    }

    /// Of all that this node knows to be gone. Blocks.
    ///
    /// @return up to which removal the drive has dropped all
    /// @throws StoreException.Unavailable when it cannot be done now
    public long dropOn(String id, Drive drive) {
        return dropOn(control.current(), id, drive);
    }

    private long dropOn(ClusterState state, String id, Drive drive) {
        locks.keySet().removeIf(each -> !each.ready());
        var lock = locks.computeIfAbsent(drive, _ -> new ReentrantLock());
        if (!Await.interruptible(() -> lock.tryLock(PATIENCE.toNanos(), TimeUnit.NANOSECONDS))) {
            throw new StoreException.Unavailable("drive " + id + " is still dropping deleted buckets");
        }
        try {
            var table = state.buckets();
            long known = dropped.upTo(state, id, drive);
            for (var each : table.removed().tailMap(known + 1).values()) {
                var bucket = new BucketRef(each.id(), each.name());
                writes.drop(each.name(), each.id(), () -> store.dropBucket(bucket, drive));
            }
            dropped.dropped(drive, table.newestRemoval());
            return Math.max(known, table.newestRemoval());
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        var _ = threads.shutdownNow();
    }
}
