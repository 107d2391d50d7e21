package dev.sluice.targetnode.storage.scrub;

import dev.sluice.common.peer.ScrubFinding;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.util.Optional;

/// What becomes of a damaged object. Called on virtual threads.
public interface Repair {
    /// Makes the copy again from another drive's, or else drops it if the cloud has the object, so that the next read
    /// fetches that.
    ///
    /// @param drive that the copy is on
    /// @param damaged the version of the copy, where it could be read
    /// @return what was done; empty when the copy is left alone, for there is no other
    /// @throws dev.sluice.common.store.StoreException when that cannot be known now
    Optional<ScrubFinding.Action> repair(BucketRef bucket, String key, String drive, Optional<ObjectVersion> damaged);
}
