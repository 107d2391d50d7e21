package dev.sluice.common.cluster.planning;

import dev.sluice.common.name.NodeId;
import java.util.Set;

/// What the controller that plans knows of targets that do not hear each other, by their newest beats.
public interface ReachabilityView {
    /// Everybody hears everybody.
    ReachabilityView NONE = new ReachabilityView() {
        @Override
        public Set<UnreachablePair> pairs() {
            return Set.of();
        }

        @Override
        public boolean isHeardByFew(NodeId target) {
            return false;
        }

        @Override
        public boolean hasJustBeaten(NodeId target, int incarnation, long beat) {
            return false;
        }

        @Override
        public boolean wasCutOff(int group, int slot) {
            return false;
        }
    };

    /// The pairs of which one says that it does not hear the other.
    Set<UnreachablePair> pairs();

    /// Whether fewer than half of those others that can say so hear the target, and they are two at least.
    boolean isHeardByFew(NodeId target);

    /// Whether this beat was answered within the last 1.5 s, and the target is one that may hold a lease.
    boolean hasJustBeaten(NodeId target, int incarnation, long beat);

    /// Whether a member of this slot was cut off in the last 5 s.
    boolean wasCutOff(int group, int slot);
}
