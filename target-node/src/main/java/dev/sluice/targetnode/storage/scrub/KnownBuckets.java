package dev.sluice.targetnode.storage.scrub;

import dev.sluice.targetnode.storage.record.BucketRef;
import java.util.Optional;

/// The buckets there are. May block, and says `StoreException.Unavailable` while it cannot know.
public interface KnownBuckets {
    /// @return empty when there is none with this id
    Optional<BucketRef> withId(long id);

    /// @return the bucket whose files lie in this folder, also one that is removed but not dropped yet
    Optional<BucketRef> named(String name);
}
