package dev.sluice.targetnode.storage.scrub;

import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.util.Optional;

/// What becomes of a damaged object. Called on virtual threads.
public interface Repair {
    /// Drops the copy on the drive if there is another one, so that the next read fetches that.
    ///
    /// @param damaged the version of the copy, where it could be read
    /// @return whether there is another one; the copy is left alone if not
    /// @throws dev.sluice.common.store.StoreException when that cannot be known now
    boolean drop(BucketRef bucket, String key, Optional<ObjectVersion> damaged);
}
