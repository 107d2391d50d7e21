package dev.sluice.common.cluster;

import dev.sluice.common.store.StoreException;
import java.util.Optional;

/// The view of the newest state that this node knows.
public final class ClusterViews {
    private final ControlPlane control;
    private volatile Optional<ClusterView> latest = Optional.empty();

    public ClusterViews(ControlPlane control) {
        this.control = control;
    }

    /// Never blocks on anything but, once for each new state, the making of its view.
    ///
    /// @throws StoreException.Unavailable while this node knows no state
    public ClusterView current() {
        return of(control.current());
    }

    /// A view that was the newest at some time during the call: what "does not exist" may be said from. Blocks.
    public ClusterView confirmed() {
        return of(control.confirm());
    }

    private ClusterView of(ClusterState state) {
        var view = latest;
        return view.isPresent() && view.get().state().version() == state.version() ? view.get() : make(state);
    }

    private synchronized ClusterView make(ClusterState state) {
        if (latest.isPresent() && latest.get().state().version() >= state.version()) {
            return latest.get();
        }
        var made = latest.map(view -> view.next(state)).orElseGet(() -> ClusterView.of(state));
        latest = Optional.of(made);
        return made;
    }
}
