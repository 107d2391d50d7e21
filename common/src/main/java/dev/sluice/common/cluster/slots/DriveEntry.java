package dev.sluice.common.cluster.slots;

import dev.sluice.common.name.NodeId;

/// A drive that can hold replicas.
///
/// @param weight its share of the slots, as it was when the drive was first registered
/// @param out true from the moment its target reports that it cannot use it, until the target registers with it again
public record DriveEntry(NodeId target, double weight, boolean out) {
    DriveEntry withOut(boolean now) {
        return new DriveEntry(target, weight, now);
    }
}
