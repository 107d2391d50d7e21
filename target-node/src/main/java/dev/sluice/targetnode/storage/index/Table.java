package dev.sluice.targetnode.storage.index;

import java.util.Arrays;
import java.util.Optional;

/// The parts of a drive's index. Each is ordered by its keys' bytes, unsigned.
public enum Table {
    /// Bucket id and key → what a listing shows, and where the file lies.
    OBJECTS(1),
    /// Version → a change that is durable but whose rename may not be yet.
    INTENTS(2),
    /// Bucket id, key and upload id → a multipart upload.
    UPLOADS(3),
    /// Upload id and number → a part.
    PARTS(4),
    /// Upload id → the result of a completed upload, for a repeated request.
    COMPLETED(5),
    /// Facts of the index itself.
    META(6),
    /// Bucket id and key → the minute in which a copy that the cloud has too was last read.
    ACCESS(7),
    /// Bucket id, key and version → nothing: a change that another drive of the key may not have ([NoteKeys]).
    NOTES(8),
    /// Bucket id and hash of a key → nothing: a file whose path is made from that hash had no readable record when the
    /// index was rebuilt, so that its key is known only when somebody asks for it.
    KEYLESS(9),
    /// Version of an intent → nothing of its own: the intent is open, to be committed or aborted by a later message.
    OPEN(10),
    /// Slot, bucket id and key → the version that [#OBJECTS] has. Both are written by [ObjectRows] only.
    SLOTS(11),
    /// Bucket id and key → a version, and when the cloud last said that it has the same.
    AGREED(12);

    private final int code;

    Table(int code) {
        this.code = code;
    }

    /// Its name in records that are stored; never given to another.
    int code() {
        return code;
    }

    static Optional<Table> ofCode(long code) {
        return Arrays.stream(values()).filter(table -> table.code == code).findFirst();
    }
}
