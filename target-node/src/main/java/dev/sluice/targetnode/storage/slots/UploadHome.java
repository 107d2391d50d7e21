package dev.sluice.targetnode.storage.slots;

import dev.sluice.targetnode.storage.drive.Drive;

/// Where the multipart uploads of a key are, while a target may answer for it. Those of another home are over.
///
/// @param since the epoch from which this drive has been the primary with no other between
public record UploadHome(Drive drive, long since) {
    /// Whether it is, though the drive may have been opened again.
    public boolean isSame(UploadHome other) {
        return drive.id().equals(other.drive.id()) && since == other.since;
    }
}
