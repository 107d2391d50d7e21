package dev.sluice.targetnode.replica.core;

import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.Slice;

/// What a replica has committed of a key.
///
/// @param position see [Slice]
public record KeyVersion(ObjectKey key, ObjectVersion version, int position) {
    KeyVersion(ObjectKey key, Slice slice) {
        this(key, slice.version(), slice.position());
    }

    Slice slice() {
        return new Slice(version, position);
    }
}
