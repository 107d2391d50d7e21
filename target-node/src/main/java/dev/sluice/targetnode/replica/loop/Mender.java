package dev.sluice.targetnode.replica.loop;

import dev.sluice.targetnode.storage.record.BucketRef;

/// Restores damaged objects of replicated buckets, as [dev.sluice.targetnode.storage.slots.SlotWriter] promises it.
public interface Mender {
    /// Blocks.
    boolean mend(BucketRef bucket, String key, String drive);

    /// Never blocks.
    void mendLater(BucketRef bucket, String key, String drive);
}
