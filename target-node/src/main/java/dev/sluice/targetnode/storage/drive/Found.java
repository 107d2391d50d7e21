package dev.sluice.targetnode.storage.drive;

import dev.sluice.targetnode.storage.files.DriveFile;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import java.io.IOException;
import java.util.Optional;

/// What a drive finds for a key.
public sealed interface Found {
    /// @param file open, to be closed by the receiver on a drive thread
    record Present(ObjectRecord record, DriveFile file) implements Found {}

    record Damaged(String why) implements Found {}

    record Absent() implements Found {}

    /// What a present object's record says; closes its file. On a drive thread.
    default Optional<ObjectRecord> onlyRecord() throws IOException {
        if (!(this instanceof Present(var record, var file))) {
            return Optional.empty();
        }
        file.close();
        return Optional.of(record);
    }
}
