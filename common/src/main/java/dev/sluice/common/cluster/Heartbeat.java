package dev.sluice.common.cluster;

import dev.sluice.common.name.NodeId;
import java.util.Optional;
import java.util.Set;

/// What a target says every 250 ms: that it lives, and what the controllers have to know of it besides their log.
///
/// @param incarnation of the process that says so
/// @param number of this beat in the process: later ones are greater
/// @param full ids of its drives that have no room for new learners
/// @param heard the other targets that answered its pings in the last second; empty when it cannot say, because it has
///     just begun or stood still
/// @param applied the version of the state that all its drives have applied; -1 for none
public record Heartbeat(
        NodeId target, int incarnation, long number, Set<String> full, Optional<Set<NodeId>> heard, long applied) {
    public Heartbeat {
        full = Set.copyOf(full);
        heard = heard.map(Set::copyOf);
    }

    /// One that says nothing of other targets.
    public static Heartbeat of(NodeId target, int incarnation, Set<String> full) {
        return new Heartbeat(target, incarnation, 0, full, Optional.empty(), -1);
    }
}
