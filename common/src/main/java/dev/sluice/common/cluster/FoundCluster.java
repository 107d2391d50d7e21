package dev.sluice.common.cluster;

import dev.sluice.common.name.NodeId;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/// The first entry of the log.
///
/// @param members the targets that the cluster is made of
public record FoundCluster(String clusterId, SortedSet<NodeId> members) implements LogEntry {
    public FoundCluster {
        members = Collections.unmodifiableSortedSet(new TreeSet<>(members));
    }

    @Override
    public Optional<ClusterState> appliedTo(Optional<ClusterState> state) {
        return state.isPresent()
                ? Optional.empty()
                : Optional.of(ClusterState.create(clusterId, members, new TreeMap<>()));
    }
}
