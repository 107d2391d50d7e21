package dev.sluice.targetnode.replica;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.ClusterView;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.cluster.Heartbeat;
import dev.sluice.common.cluster.HeartbeatAnswer;
import dev.sluice.common.cluster.StateWatch;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.store.StoreException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// The controller as one target reaches it: not at all while the test cuts it off. Then the target knows what it knew.
public class CutControl implements ControlPlane {
    private final Supplier<ControlPlane> controller;
    private volatile Set<String> full = Set.of();
    private volatile Optional<StateWatch> late = Optional.empty();
    private Optional<ClusterView> known = Optional.empty();
    private CompletableFuture<Void> connected = CompletableFuture.completedFuture(null);

    /// @param controller the one that lives now
    public CutControl(Supplier<ControlPlane> controller) {
        this.controller = controller;
    }

    public synchronized void cut() {
        known = Optional.of(controller.get().view());
        connected = new CompletableFuture<>();
    }

    /// The target hears of each newer state so much later.
    public void delay(Duration by) {
        if (by.isZero()) {
            var before = late;
            late = Optional.empty();
            before.ifPresent(states -> states.publish(controller.get().current()));
            return;
        }
        var states = new StateWatch();
        states.publish(controller.get().current());
        late = Optional.of(states);
        var later = CompletableFuture.delayedExecutor(by.toNanos(), TimeUnit.NANOSECONDS);
        Thread.ofVirtual().start(() -> {
            long known = -1;
            while (late.filter(states::equals).isPresent()) {
                var state = controller.get().watch(known).join();
                known = state.version();
                later.execute(() -> states.publish(state));
            }
        });
    }

    public synchronized void heal() {
        connected.complete(null);
    }

    private synchronized CompletableFuture<Void> connection() {
        return connected;
    }

    private ControlPlane reached() {
        if (!connection().isDone()) {
            throw new StoreException.Unavailable("the controller does not answer");
        }
        return controller.get();
    }

    @Override
    public synchronized ClusterView view() {
        return connected.isDone() ? controller.get().view() : known.orElseThrow();
    }

    @Override
    public CompletableFuture<ClusterState> watch(long version) {
        return late.<CompletableFuture<ClusterState>>map(states -> states.watch(version))
                .orElseGet(() -> connection().thenCompose(_ -> controller.get().watch(version)));
    }

    /// A target that stops ends its own threads, and not those of the controller.
    @Override
    public ClusterState apply(Command command) {
        var plane = reached();
        return Await.whole(CompletableFuture.supplyAsync(
                () -> plane.apply(command), task -> Thread.ofVirtual().start(task)));
    }

    @Override
    public ClusterState confirm() {
        return reached().confirm();
    }

    @Override
    public int controllers() {
        return controller.get().controllers();
    }

    @Override
    public void beat(Heartbeat beat, Consumer<HeartbeatAnswer> answered) {
        if (connection().isDone()) {
            controller.get().beat(beat, answered);
            full = beat.full();
        }
    }

    /// The drives that the newest heartbeat that arrived called full.
    public Set<String> full() {
        return full;
    }
}
