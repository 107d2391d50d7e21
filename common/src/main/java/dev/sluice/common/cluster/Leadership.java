package dev.sluice.common.cluster;

import dev.sluice.common.name.NodeId;
import java.util.Optional;

/// Which controller leads, as one of them, or a node that asked them, knows.
///
/// @param term grows with every change of leaders; 0 for a lone controller
/// @param leader empty while none is known
public record Leadership(long term, Optional<NodeId> leader) {
    public static final Leadership UNKNOWN = new Leadership(-1, Optional.empty());

    public boolean isOf(NodeId controller) {
        return leader.filter(controller::equals).isPresent();
    }

    /// What somebody knows who hears this too.
    public Leadership or(Leadership other) {
        boolean newer = other.term > term || (other.term == term && leader.isEmpty());
        return newer && other.leader.isPresent() ? other : this;
    }
}
