package dev.sluice.common.cluster;

import dev.sluice.common.store.StoreException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/// How a node reads and changes what the cluster agrees on: the controllers keep it, which are the three targets with
/// the lowest ids, or one where there are fewer.
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

    /// Changes the state, durably, before it returns the new one; this node's [#current] is at least as new
    /// then. Blocks.
    ///
    /// @throws StoreException what `planning.Planner` throws, or Unavailable when the controller does not answer
    ClusterState apply(Command command);

    /// Asks the controller: the state returned was the newest at some time during the call. A node says "no
    /// such bucket" only after it. Blocks.
    ClusterState confirm();

    /// How many controllers there are: a lease takes the promises of more than half of them.
    default int controllers() {
        return 1;
    }

    /// A target says to each controller that it lives. Waits for nothing.
    ///
    /// @param answered told of each answer, by a thread of the control plane
    default void beat(Heartbeat beat, Consumer<HeartbeatAnswer> answered) {
        throw new StoreException.Unavailable("there is no controller to beat to");
    }
}
