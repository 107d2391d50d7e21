package dev.sluice.targetnode.storage.resilver;

import dev.sluice.targetnode.storage.record.BucketRef;

/// Puts single keys where they belong, while they are read and written. For virtual threads.
public interface Mover {
    /// Brings the newest version of a key to each drive it belongs on, and takes it from all others.
    ///
    /// @return how many bytes were written; 0 when all was in its place, or the bucket is replicated
    /// @throws dev.sluice.common.store.StoreException when that cannot be done now: Unavailable or
    /// DriveFailed when a drive is not there, NoSpace, Damaged when no copy is good
    long bring(BucketRef bucket, String key);
}
