package dev.sluice.proxy;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.ClusterView;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.cluster.StateWatch;
import dev.sluice.common.cluster.planning.Planner;
import dev.sluice.common.store.StoreException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/// The real state machine without its drives. It can hold back from this node what the controller knows already.
final class MemoryControl implements ControlPlane {
    private final StateWatch published = new StateWatch();
    private ClusterState state;
    private boolean behind;
    private boolean silent;
    private int asked;
    private final AtomicInteger watched = new AtomicInteger();
    private UnaryOperator<ClusterState> before = UnaryOperator.identity();

    MemoryControl(ClusterState state) {
        this.state = state;
        published.publish(state);
    }

    /// From now on this node hears of changes only when it asks.
    synchronized void fallBehind() {
        behind = true;
    }

    /// What another node does: this one need not have heard of it.
    synchronized ClusterState applyElsewhere(Command command) {
        return changeElsewhere(before -> Planner.next(before, command));
    }

    /// The same for what no single command does.
    synchronized ClusterState changeElsewhere(UnaryOperator<ClusterState> change) {
        state = change.apply(state);
        if (!behind) {
            published.publish(state);
        }
        return state;
    }

    @Override
    public ClusterView view() {
        return published.current();
    }

    /// How often somebody waited for a state.
    int watched() {
        return watched.get();
    }

    @Override
    public CompletableFuture<ClusterState> watch(long version) {
        watched.incrementAndGet();
        return published.watch(version);
    }

    /// What others do just before each command of this node.
    synchronized void beforeEach(UnaryOperator<ClusterState> others) {
        before = others;
    }

    @Override
    public synchronized ClusterState apply(Command command) {
        state = Planner.next(before.apply(state), command);
        published.publish(state);
        return state;
    }

    /// How often the controller was asked.
    synchronized int asked() {
        return asked;
    }

    synchronized void silence(boolean now) {
        silent = now;
    }

    @Override
    public synchronized ClusterState confirm() {
        asked++;
        if (silent) {
            throw new StoreException.Unavailable("the controller does not answer");
        }
        published.publish(state);
        return state;
    }
}
