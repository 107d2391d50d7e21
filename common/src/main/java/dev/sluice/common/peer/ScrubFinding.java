package dev.sluice.common.peer;

/// Something on a drive that is not as it should be.
///
/// @param bucket its name; empty where that cannot be known
/// @param key empty for an orphan
/// @param path of the file, from the drive's folder
/// @param foundMillis since 1970
public record ScrubFinding(
        Kind kind, Action action, String bucket, String key, String path, String why, long foundMillis) {
    /// What is wrong.
    public enum Kind {
        /// The object is gone, or is not what was written.
        DAMAGED,
        /// The object is whole, but the index says something else of it.
        INDEX,
        /// The drive gives an error, or a newer Sluice wrote it.
        UNREADABLE,
        /// A file that no entry of the index speaks of.
        ORPHAN
    }

    /// What was done about it.
    public enum Action {
        /// The copy is rebuilt from another drive's.
        COPIED,
        /// The copy is dropped; the next GET fetches the object from the cloud.
        DROPPED,
        /// The file stays as it is.
        KEPT,
        /// The file stays, and reads of the object answer 500 at once.
        MARKED
    }
}
