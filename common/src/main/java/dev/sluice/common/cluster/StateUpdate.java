package dev.sluice.common.cluster;

import java.util.List;

/// What a node needs to have a newer state.
public sealed interface StateUpdate {
    record Snapshot(ClusterState state) implements StateUpdate {}

    /// @param changes in order, without a gap; the first ones may be some that the node has. None: there is
    ///     nothing newer
    record Changes(List<LoggedChange> changes) implements StateUpdate {
        public Changes {
            changes = List.copyOf(changes);
        }
    }
}
