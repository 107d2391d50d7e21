package dev.sluice.targetnode.replica.membership;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.store.StoreException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Hands on each newer state of the cluster that this node hears of, on a thread of its own: one after the other,
/// perhaps not all of them; the newest again from time to time.
public final class StateFeed implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StateFeed.class);
    private static final Duration AGAIN = Duration.ofSeconds(10);
    private static final Duration SOON = Duration.ofMillis(200);
    private static final long PAUSE_NANOS = 50_000_000;

    private final ControlPlane control;
    private final Predicate<ClusterState> follower;
    private final Thread thread;
    private volatile boolean closed;

    /// @param follower says whether it wants the same state again soon, unless there is a newer one
    public StateFeed(ControlPlane control, Predicate<ClusterState> follower) {
        this.control = control;
        this.follower = follower;
        this.thread = Thread.ofPlatform().name("slots").daemon().unstarted(this::followForEver);
    }

    public void start() {
        thread.start();
    }

    private void followForEver() {
        Optional<ClusterState> last = Optional.empty();
        boolean soon = false;
        while (!closed) {
            var watch = control.watch(last.map(ClusterState::version).orElse(-1L));
            try {
                last = Optional.of(watch.get((soon ? SOON : AGAIN).toNanos(), TimeUnit.NANOSECONDS));
                soon = follower.test(last.get());
            } catch (TimeoutException _) {
                watch.cancel(false);
                soon = last.isPresent() && follower.test(last.get());
            } catch (InterruptedException _) {
                return;
            } catch (ExecutionException | StoreException away) {
                LOG.debug("no newer state of the cluster", away);
                LockSupport.parkNanos(PAUSE_NANOS);
            } catch (RuntimeException bug) {
                LOG.error("a state of the cluster is not applied: a bug", bug);
                last = Optional.empty();
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }
}
