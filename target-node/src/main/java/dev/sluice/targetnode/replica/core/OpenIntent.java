package dev.sluice.targetnode.replica.core;

import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.Slice;

/// A prepared write: durable, and not visible yet.
///
/// @param delete whether it deletes the key; else it stores an object
/// @param position which slice of the object; 0 where drives have whole ones, and of a deletion
public record OpenIntent(ObjectKey key, ObjectVersion version, boolean delete, int position) {
    public Slice slice() {
        return new Slice(version, position);
    }

    /// Whether it is all that a member of that position is to have of this write. A deletion has no bytes.
    boolean fits(int own) {
        return delete || position == own;
    }

    /// The same for members of different positions.
    OpenIntent ofAnyPosition() {
        return new OpenIntent(key, version, delete, 0);
    }
}
