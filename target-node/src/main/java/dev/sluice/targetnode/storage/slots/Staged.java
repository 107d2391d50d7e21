package dev.sluice.targetnode.storage.slots;

import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.Prepared;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.io.IOException;
import java.util.Optional;

/// An object that is nobody's yet, and has no version: who serves its key gives it one.
public interface Staged {
    /// Where all its bytes are.
    sealed interface Content {
        /// They are few, and go into the intent.
        final class InMemory implements Content {
            private final byte[] bytes;

            public InMemory(byte[] bytes) {
                this.bytes = bytes;
            }

            public byte[] bytes() {
                return bytes;
            }
        }

        /// @param path of its staging file, relative to the drive
        record OnDrive(Drive drive, String path) implements Content {}
    }

    /// Where members have slices, that of none: [ObjectRecord#at] makes the others.
    ObjectRecord record(ObjectVersion version);

    /// All its bytes, or those of one slice where members have slices.
    ///
    /// @param position which; of whole objects 0
    Content content(int position);

    /// Under which name other replicas could take its bytes while they came.
    default Optional<String> arrivedAs() {
        return Optional.empty();
    }

    /// When one took some of them so, of [System#nanoTime]; or before all that anybody waits for.
    default long lastTaken() {
        return Long.MIN_VALUE;
    }

    /// The change that makes it the object on a drive, where none has to be asked for that: few bytes that are to last.
    /// On any thread; never blocks.
    Optional<Prepared> atOnce(Drive drive, ObjectRecord record);

    /// The same for each object: from here on the staging file is the drive's. On the drive's threads.
    Prepared prepare(Drive drive, ObjectRecord record) throws IOException;

    /// What is changed on the drive that has the bytes when only others keep the object. On that drive's threads.
    default Optional<Prepared> leave(ObjectRecord record) {
        return Optional.empty();
    }

    /// The change is not made: nothing remains of the object when its upload has ended. Never blocks.
    void drop();

    /// Told once: it is the object, or it is not, or only drives know, one of which may still drop it. Never blocks.
    default void decided() {}
}
