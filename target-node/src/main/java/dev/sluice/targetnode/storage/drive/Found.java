package dev.sluice.targetnode.storage.drive;

import dev.sluice.targetnode.storage.files.DriveFile;
import dev.sluice.targetnode.storage.record.ObjectRecord;

/// What a drive finds for a key.
public sealed interface Found {
    /// @param file open, to be closed by the receiver on a drive thread
    record Present(ObjectRecord record, DriveFile file) implements Found {}

    record Damaged(String why) implements Found {}

    record Absent() implements Found {}
}
