package dev.sluice.targetnode.storage.record;

/// What a drive has of a key: a version, and which slice of it. Where drives have whole objects, the position is 0.
///
/// @param position [#NONE] where it has the object's record only, since all members together could not make its bytes
public record Slice(ObjectVersion version, int position) {
    public static final int NONE = -1;

    /// Whether a member of that position has all that it is to have of this version: then there is nothing to copy.
    public boolean has(ObjectVersion wanted, int own) {
        return version.equals(wanted) && position == own;
    }
}
