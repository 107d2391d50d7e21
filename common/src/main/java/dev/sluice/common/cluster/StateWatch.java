package dev.sluice.common.cluster;

import dev.sluice.common.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/// The newest state a node has, with its view, and those who wait for a newer one. Versions only grow. The view is
/// made by the thread that publishes, before anyone sees the state: requests, and event loops, only read it.
public final class StateWatch {
    private record Watcher(long version, CompletableFuture<ClusterState> promise) {}

    private final List<Watcher> watchers = new ArrayList<>();
    private volatile Optional<ClusterView> newest = Optional.empty();
    private boolean ended;

    public ClusterView current() {
        return newest.orElseThrow(
                () -> new StoreException.Unavailable("This node does not know the cluster's state yet; try again"));
    }

    public Optional<ClusterState> newest() {
        return newest.map(ClusterView::state);
    }

    public synchronized CompletableFuture<ClusterState> watch(long version) {
        if (newest.isPresent() && newest.get().version() > version) {
            return CompletableFuture.completedFuture(newest.get().state());
        }
        var promise = new CompletableFuture<ClusterState>();
        if (ended) {
            promise.completeExceptionally(stopping());
            return promise;
        }
        watchers.removeIf(watcher -> watcher.promise().isDone()); // those who gave up
        watchers.add(new Watcher(version, promise));
        return promise;
    }

    /// The node stops: nobody waits any longer, now or later.
    public void end() {
        var waiting = new ArrayList<Watcher>();
        synchronized (this) {
            ended = true;
            waiting.addAll(watchers);
            watchers.clear();
        }
        waiting.forEach(watcher -> watcher.promise().completeExceptionally(stopping()));
    }

    private static StoreException stopping() {
        return new StoreException.Unavailable("This node stops");
    }

    /// Takes a state unless a newer one is here already.
    public void publish(ClusterState state) {
        var due = new ArrayList<Watcher>();
        synchronized (this) {
            if (newest.isPresent() && newest.get().version() >= state.version()) {
                return;
            }
            newest = Optional.of(newest.map(view -> view.next(state)).orElseGet(() -> ClusterView.of(state)));
            watchers.removeIf(watcher -> watcher.version() < state.version() && due.add(watcher));
        }
        due.forEach(watcher -> watcher.promise().complete(state));
    }
}
