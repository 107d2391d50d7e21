package dev.sluice.common.cluster;

import java.util.Optional;

/// The first entry of a log that goes on with the state of a lone controller.
public record AdoptState(ClusterState state) implements LogEntry {
    @Override
    public Optional<ClusterState> appliedTo(Optional<ClusterState> before) {
        return before.isPresent() ? Optional.empty() : Optional.of(state);
    }
}
