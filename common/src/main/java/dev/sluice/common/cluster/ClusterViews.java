package dev.sluice.common.cluster;

import dev.sluice.common.concurrent.SharedCall;
import dev.sluice.common.store.StoreException;
import java.time.Duration;
import java.util.Optional;

/// The view of the newest state that this node knows.
public final class ClusterViews {
    private final ControlPlane control;
    private final SharedCall<Confirmed> confirming;

    /// The controller's state, and when it was asked.
    private record Confirmed(ClusterState state, long askedNanos) {}

    private volatile Optional<Confirmed> last = Optional.empty();

    public ClusterViews(ControlPlane control) {
        this.control = control;
        this.confirming = new SharedCall<>(this::ask);
    }

    private Confirmed ask() {
        long now = System.nanoTime();
        return new Confirmed(control.confirm(), now);
    }

    /// Never blocks.
    ///
    /// @throws StoreException.Unavailable while this node knows no state
    public ClusterView current() {
        return control.view();
    }

    /// A view that was the newest at some time during the call: what "does not exist" may be said from. Blocks. Those
    /// who ask at the same time share one question to the controller.
    ///
    /// @throws StoreException.Unavailable when the controller does not answer
    public ClusterView confirmed() {
        var confirmed = confirming.get();
        last = Optional.of(confirmed);
        return atLeast(confirmed.state);
    }

    /// A view that was the newest at some time during the call or shortly before. Blocks unless somebody asked then.
    public ClusterView confirmed(Duration before) {
        return last.filter(known -> System.nanoTime() - known.askedNanos <= before.toNanos())
                .map(known -> atLeast(known.state))
                .orElseGet(this::confirmed);
    }

    private ClusterView atLeast(ClusterState state) {
        var view = control.view();
        return view.version() >= state.version() ? view : ClusterView.of(state);
    }
}
