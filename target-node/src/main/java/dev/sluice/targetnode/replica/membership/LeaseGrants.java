package dev.sluice.targetnode.replica.membership;

import dev.sluice.common.cluster.HeartbeatAnswer;
import dev.sluice.common.name.NodeId;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// The controllers' promises to one beat. Those to another beat count for that one only: between two beats a controller
/// may have reported this target.
public final class LeaseGrants {
    private final int majority;
    private final SortedMap<NodeId, Long> versions = new TreeMap<>();

    /// @param controllers how many there are
    public LeaseGrants(int controllers) {
        majority = controllers / 2 + 1;
    }

    /// @return the version that this target has to have applied, for its lease to count by what a majority has promised
    ///     so far; empty while no majority has
    public synchronized Optional<Long> add(HeartbeatAnswer answer) {
        if (answer.promised()) {
            versions.put(answer.controller(), answer.version());
        }
        return answer.promised() && versions.size() >= majority
                ? versions.values().stream().sorted().skip(majority - 1L).findFirst()
                : Optional.empty();
    }
}
