package dev.sluice.common.cluster.planning;

import dev.sluice.common.cluster.slots.Group;
import dev.sluice.common.name.NodeId;

/// What the controller that plans knows besides the log.
public interface PlanningFacts {
    /// No promise was given, no drive has refused anything or is full.
    PlanningFacts KNOWS_NOTHING = new PlanningFacts() {
        @Override
        public boolean leased(NodeId target) {
            return false;
        }

        @Override
        public boolean avoids(int group, int slot, String drive) {
            return false;
        }

        @Override
        public boolean isFull(String drive) {
            return false;
        }
    };

    /// Who does not hear whom.
    default ReachabilityView reachability() {
        return ReachabilityView.NONE;
    }

    /// How many slots a new group has in a cluster of so many targets; tests choose fewer.
    ///
    /// @param coded whether its members have slices of objects
    default int slots(int targets, boolean coded) {
        return Group.slotsFor(targets, coded);
    }

    /// Whether the target may hold a lease that this controller promised.
    boolean leased(NodeId target);

    /// Whether the drive was taken off this slot so recently that it is not chosen again.
    boolean avoids(int group, int slot, String drive);

    /// Whether the drive has no room for a new learner. It keeps the roles that it has.
    boolean isFull(String drive);
}
