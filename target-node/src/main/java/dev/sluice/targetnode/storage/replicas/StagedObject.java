package dev.sluice.targetnode.storage.replicas;

import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.Prepared;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.io.IOException;
import java.util.Optional;

/// An object whose bytes are on one drive, or in memory when they are few, and that has no version yet.
public interface StagedObject {
    Drive drive();

    ObjectRecord record(ObjectVersion version);

    /// All its bytes, when they are few and go into the intent.
    Optional<byte[]> content();

    /// The staging file of an object without [#content], relative to the drive.
    String work();

    /// From here on the staging file is the drive's. On the drive's threads.
    Prepared prepare(ObjectRecord record) throws IOException;
}
