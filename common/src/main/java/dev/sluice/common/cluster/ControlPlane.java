package dev.sluice.common.cluster;

import dev.sluice.common.store.StoreException;
import java.util.concurrent.CompletableFuture;

/// How a node reads and changes what the cluster agrees on. Today the target with the lowest id keeps it; a Raft group
/// will, behind this same interface.
public interface ControlPlane {
    /// The newest state this node has. Never blocks.
    ///
    /// @throws StoreException.Unavailable while the node has none yet: it answers 503, never 404
    default ClusterState current() {
        return view().state();
    }

    /// The same with what follows from it, made before the state became this node's newest. Never blocks.
    ///
    /// @throws StoreException.Unavailable as [#current]
    ClusterView view();

    /// Completes with the first state whose version is greater than the given one.
    CompletableFuture<ClusterState> watch(long version);

    /// Changes the state, durably, before it returns the new one; this node's [#current] is at least as new then.
    /// Blocks.
    ///
    /// @throws StoreException what [ClusterState#apply] throws, or Unavailable when the controller does not answer
    ClusterState apply(Command command);

    /// Asks the controller: the state returned was the newest at some time during the call. A node says "no
    /// such bucket" only after it. Blocks.
    ClusterState confirm();

    /// What a node with the state of this version lacks. Never blocks.
    ///
    /// @param version -1 for none
    /// @throws StoreException.Unavailable as [#current]
    default StateUpdate updateSince(long version) {
        return new StateUpdate.Snapshot(current());
    }

    /// A target says that it lives. Blocks for half a second at most; never behind other calls.
    ///
    /// @throws StoreException.Unavailable when the controller does not answer
    default Beaten beat(Beat beat) {
        throw new StoreException.Unavailable("there is no controller to beat to");
    }
}
