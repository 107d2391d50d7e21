package dev.sluice.common.cluster;

import dev.sluice.common.store.StoreException;

/// The view of the newest state that this node knows.
public final class ClusterViews {
    private final ControlPlane control;

    public ClusterViews(ControlPlane control) {
        this.control = control;
    }

    /// Never blocks.
    ///
    /// @throws StoreException.Unavailable while this node knows no state
    public ClusterView current() {
        return control.view();
    }

    /// A view that was the newest at some time during the call: what "does not exist" may be said from. Blocks.
    public ClusterView confirmed() {
        var state = control.confirm();
        var view = control.view();
        return view.version() >= state.version() ? view : ClusterView.of(state);
    }
}
