package dev.sluice.targetnode.storage.drive;

import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.Slice;

/// A prepared write that is neither committed nor aborted: durable, and not visible. A key has one at most.
///
/// @param slice what it stores of the object; of a deletion at position 0
public record OpenIntent(long bucketId, String key, Slice slice, boolean deletion) {
    public ObjectVersion version() {
        return slice.version();
    }
}
