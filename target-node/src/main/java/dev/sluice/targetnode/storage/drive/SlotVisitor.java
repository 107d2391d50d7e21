package dev.sluice.targetnode.storage.drive;

import dev.sluice.targetnode.storage.record.Slice;
import java.io.IOException;

/// Is told of rows of a slot, one after the other.
@FunctionalInterface
public interface SlotVisitor {
    /// @return whether it wants more
    boolean visit(long bucketId, String key, Slice slice, boolean damaged) throws IOException;
}
