package dev.sluice.targetnode.controller.log;

import dev.sluice.common.cluster.Change;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.LogEntry;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import java.util.List;
import java.util.Optional;

/// The log of the controllers: entries in one order, durable before anyone sees their effects. Keys of clients are no
/// part of it: they are settings of each node.
public interface Consensus extends AutoCloseable {
    /// Is told of each entry that had an effect, in order, by one thread at a time.
    interface Follower {
        /// @param changes that made it of the state told before; none when that is not known
        void applied(List<Change> changes, ClusterState state);
    }

    /// What was agreed on when this was asked, as far as this node has it; empty before the first entry.
    Optional<ClusterState> snapshot();

    /// Tells the follower of the state as it is now, and of all that comes. There is one follower.
    void follow(Follower follower);

    /// This controller's place in the log. Never blocks.
    LogServer seat();

    /// What another controller said of its place. Never blocks.
    default void heard(NodeId controller, LogServer seat) {}

    /// Whether the first entry is to be proposed here.
    default boolean mayFound() {
        return snapshot().isEmpty();
    }

    /// To be called before this node's controller begins its life in the log: what it says from then on rests on that.
    ///
    /// @throws StoreException.Unavailable when the log was replaced by another one
    default void begins() {}

    /// Whether the log was replaced by another one: what this node knows of it does not count any more.
    default boolean isReplaced() {
        return false;
    }

    /// To be asked before a command that changes nothing is called done: what it rests on may not be the newest state.
    ///
    /// @throws StoreException.Unavailable when an entry before has an unknown outcome, or another leads
    default void requireUsable() {}

    /// Logs an entry. When it returns true, the entry is durable, and the follower has been told of it.
    ///
    /// @return false when the entry had no effect: it was made for another state than the newest
    /// @throws StoreException.DriveFailed or Unavailable when it is not known whether it has an effect
    boolean propose(LogEntry entry);

    /// Another controller is to lead, if it can. It will be tried soon.
    default void handOver(NodeId next) {}

    /// What is due from time to time. Never long.
    default void tend() {}

    /// Whether a start would need what this drive has. Never blocks.
    boolean isKeptOn(String drive);

    @Override
    default void close() {}
}
