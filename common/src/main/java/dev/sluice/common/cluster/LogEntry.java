package dev.sluice.common.cluster;

import java.util.List;
import java.util.Optional;

/// What the controllers agree on, one after the other.
public sealed interface LogEntry permits FoundCluster, AdoptState, Change, Changes {
    /// The state after it. Empty when it was made for another state: then it has no effect, on any controller.
    ///
    /// @param state empty before the first entry
    Optional<ClusterState> appliedTo(Optional<ClusterState> state);

    /// In order; none of the first entry.
    default List<Change> changes() {
        return List.of();
    }
}
