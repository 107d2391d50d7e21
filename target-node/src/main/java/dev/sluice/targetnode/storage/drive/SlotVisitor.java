package dev.sluice.targetnode.storage.drive;

import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.io.IOException;

/// Is told of each row of a slot.
@FunctionalInterface
public interface SlotVisitor {
    void visit(long bucketId, String key, ObjectVersion version, boolean damaged) throws IOException;
}
