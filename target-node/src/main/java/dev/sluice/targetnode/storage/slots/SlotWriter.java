package dev.sluice.targetnode.storage.slots;

import dev.sluice.common.peer.SlotCover;
import dev.sluice.common.s3.listing.ListQuery;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.change.WriteCheck;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.hotset.StoredObject;
import dev.sluice.targetnode.storage.listing.ListEntry;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.UploadState;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Finds and changes objects, as far as this target may answer for them. Who keeps them is its own business: the rows
/// of the slots say it, or they are on drives of this target alone.
public interface SlotWriter {
    /// Of a target that takes no part yet.
    SlotWriter NONE = new SlotWriter() {
        @Override
        public boolean serves(long bucketId, String key) {
            return false;
        }

        @Override
        public Serving serving(BucketRef bucket, String key) {
            throw notYet();
        }

        @Override
        public Page list(long bucketId, ListQuery query) {
            throw notYet();
        }

        @Override
        public boolean isEmpty(long bucketId, boolean uploadsCount) {
            return true; // a listing of all slots says what there is
        }

        @Override
        public UploadCover uploads(long bucketId) {
            throw notYet();
        }

        @Override
        public boolean mend(BucketRef bucket, String key, String drive) {
            throw notYet();
        }

        private static StoreException notYet() {
            return new StoreException.Unavailable("This target has not joined the cluster yet");
        }
    };

    /// This target's right to answer for a key, from the moment when it is asked for.
    interface Serving extends AutoCloseable {
        /// The drives of this target that take the bytes of a new object. They are remembered until [#close].
        ///
        /// @throws StoreException.Unavailable when one of them takes no writes
        List<Drive> drives();

        /// Which slice of a new object the drive keeps as things stand, where members have slices.
        default int position() {
            return 0;
        }

        /// The right that there is now, for an object whose bytes are on the drives of this one.
        ///
        /// @throws StoreException.Unavailable when they are the wrong ones by now
        Serving again();

        /// The bytes of a new object begin to come to [#drives]: other replicas may take them at the same time, until
        /// [#close]. Never blocks.
        ///
        /// @return the name under which they know them
        default Optional<String> arriving(Arriving bytes) {
            return Optional.empty();
        }

        /// The object when it is open, unchanged since it was verified, and may be answered. Never blocks.
        Optional<StoredObject> hot();

        /// Where the key's multipart uploads are; empty when they may be on any drive of this target, and stay there.
        default Optional<UploadHome> uploads() {
            return Optional.empty();
        }

        /// For who says of a write of before that it is stored.
        ///
        /// @throws StoreException.Unavailable when it would not be acknowledged now: fewer replicas are in-sync
        default void requireInSync() {}

        /// What there is under the key; blocks.
        ///
        /// @param avoid ids of drives on which it was found bad
        Lookup look(Set<String> avoid);

        /// Restores the object after a look found it damaged, from where looks do not ask. Blocks.
        ///
        /// @return false when it is nowhere else
        boolean restore();

        /// Makes it the object; blocks until all who keep the key have it. Nothing is begun when
        /// the right has ended before. The object is told when that is decided, whatever this returns
        /// ([Staged#decided]).
        ///
        /// @param object its bytes are on [#drives]; on one drive where these were not asked for
        /// @throws StoreException.Unavailable also when the outcome is unknown
        ObjectRecord put(Staged object, WriteCheck check, Durability durability);

        /// The same of a deletion.
        ///
        /// @return whether there was an object
        boolean delete(WriteCheck check, Durability durability);

        @Override
        void close();
    }

    /// A part of a listing.
    ///
    /// @param cover the slots that this target answered for from before it looked until after;
    ///     [SlotCover#NONE] where its objects are on no other target
    record Page(List<ListEntry> entries, SlotCover cover) {}

    /// Whether this target may answer for the key now. Never blocks.
    boolean serves(long bucketId, String key);

    /// Never blocks.
    ///
    /// @throws StoreException.Unavailable when it may not
    Serving serving(BucketRef bucket, String key);

    /// The keys that this target answers for, in the order of their UTF-8 bytes. Blocks.
    Page list(long bucketId, ListQuery query);

    /// The multipart uploads that this target answers for. Blocks.
    UploadCover uploads(long bucketId);

    /// Whether an upload that a drive of this target has counts no more, for good. Never blocks.
    default boolean isOver(UploadState upload, String drive) {
        return false;
    }

    /// Whether this target has nothing of a bucket but what its listings say. Blocks.
    ///
    /// @param uploadsCount whether an unfinished upload is something
    boolean isEmpty(long bucketId, boolean uploadsCount);

    /// Restores an object that was found damaged on a drive of this target, from another one's. Blocks.
    ///
    /// @return false when no other drive has it
    /// @throws StoreException.Unavailable when that cannot be known now
    boolean mend(BucketRef bucket, String key, String drive);
}
