package dev.sluice.common.cluster.slots;

import dev.sluice.common.name.NodeId;

/// A drive that can hold replicas.
///
/// @param weight its share of the slots, as it was when the drive was first registered
/// @param out true from the moment its target reports that it cannot use it, until the target registers or reports
///     it again
/// @param incarnation given by the log each time the target registers with the drive, or reports that it is back:
///     nothing of the drive that was in memory before counts in it
/// @param nonce what the target chose for that registration or report
public record DriveEntry(NodeId target, double weight, boolean out, int incarnation, String nonce) {
    public DriveEntry withOut() {
        return new DriveEntry(target, weight, true, incarnation, nonce);
    }

    public DriveEntry withIn(int itsIncarnation, String itsNonce) {
        return new DriveEntry(target, weight, false, itsIncarnation, itsNonce);
    }
}
