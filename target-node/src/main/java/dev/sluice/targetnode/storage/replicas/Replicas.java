package dev.sluice.targetnode.storage.replicas;

import dev.sluice.common.peer.SlotCover;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.WriteCheck;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectRecord;

/// Objects of replicated buckets, as far as this target is the primary of their slots.
public interface Replicas {
    /// A target that takes no part yet.
    Replicas NONE = new Replicas() {
        @Override
        public boolean serves(long bucketId, String key) {
            return false;
        }

        @Override
        public Serving serving(long bucketId, String key) {
            throw new StoreException.Unavailable("This target has not joined the cluster yet");
        }

        @Override
        public ServedSlots served(long bucketId) {
            throw new StoreException.Unavailable("This target has not joined the cluster yet");
        }

        @Override
        public boolean mend(BucketRef bucket, String key, String drive) {
            throw new StoreException.Unavailable("This target has not joined the cluster yet");
        }

        @Override
        public void mendLater(BucketRef bucket, String key, String drive) {}
    };

    /// This target's right to answer for a key, in one term as its primary, from the moment when it is asked for.
    interface Serving {
        /// Never blocks.
        Drive drive();

        /// Never blocks. Whether the right has not ended since. To be asked after a look, before it is answered.
        boolean holds();

        /// @throws StoreException.Unavailable when it does not hold
        default void require() {
            if (!holds()) {
                throw new StoreException.Unavailable(
                        "this target may not answer for this key now: its part in the cluster is changing");
            }
        }

        /// Blocks until every replica has it. Nothing is begun when the right has ended before.
        ///
        /// @param object on the drive of this right
        /// @throws StoreException.Unavailable also when the outcome is unknown
        ObjectRecord put(BucketRef bucket, String key, StagedObject object, WriteCheck check);

        /// The same of a deletion.
        ///
        /// @return whether there was an object
        boolean delete(BucketRef bucket, String key, WriteCheck check);
    }

    /// The slots of a bucket that this target may answer for.
    interface ServedSlots {
        /// Whether this drive has the key's slot.
        boolean has(long bucketId, String key, String drive);

        SlotCover cover();

        /// To be asked after a look, before it is answered.
        ///
        /// @throws StoreException.Unavailable when one of them is not served any more, or was not in between
        void require();
    }

    /// Whether this target is the primary of the key, and may serve now. Never blocks.
    boolean serves(long bucketId, String key);

    /// Never blocks.
    ///
    /// @throws StoreException.Unavailable when this target is not the primary, or may not serve now
    Serving serving(long bucketId, String key);

    ServedSlots served(long bucketId);

    /// Restores an object that was found damaged on a drive of this target, from another replica. Blocks.
    ///
    /// @return false when no other replica has it
    /// @throws StoreException.Unavailable when that cannot be known now
    boolean mend(BucketRef bucket, String key, String drive);

    /// The same when nobody waits for it. Never blocks.
    void mendLater(BucketRef bucket, String key, String drive);
}
