package dev.sluice.targetnode.storage.scrub;

import static dev.sluice.common.peer.ScrubFinding.Kind.DAMAGED;
import static dev.sluice.common.peer.ScrubFinding.Kind.INDEX;
import static dev.sluice.common.peer.ScrubFinding.Kind.UNREADABLE;

import dev.sluice.common.checksum.BlockSums;
import dev.sluice.targetnode.storage.change.KeyLocks;
import dev.sluice.targetnode.storage.drive.DriveStore;
import dev.sluice.targetnode.storage.drive.Found;
import dev.sluice.targetnode.storage.drive.Layout;
import dev.sluice.targetnode.storage.files.DriveFile;
import dev.sluice.targetnode.storage.index.ObjectEntry;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.DamagedRecordException;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.RecordFormat;
import dev.sluice.targetnode.storage.record.Slice;
import dev.sluice.targetnode.storage.record.UnknownFormatException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.Optional;

/// The check of one object: entry, record, size, details, and every byte as the drive has it.
///
/// Entry, record and file are looked up together as a reader does it, while no change of the key is being published; so
/// they belong to one version, whose open file stays what it is when it is replaced or deleted later. What looks
/// damaged is looked at a second time from the beginning, since much may have happened to the key meanwhile.
final class ObjectVerifier {
    /// Called before each read, with its bytes; may wait, or end the scrub.
    interface Gate {
        void beforeReading(int bytes) throws IOException;
    }

    private static final int LOOKS = 8;

    private final DriveStore store;
    private final KeyLocks publishing;
    private final Gate gate;
    private final ByteBuffer buffer = DriveFile.uncachedBuffer(BlockSums.BLOCK);

    ObjectVerifier(DriveStore store, KeyLocks publishing, Gate gate) {
        this.store = store;
        this.publishing = publishing;
        this.gate = gate;
    }

    /// A verdict of damage is given only when two looks in a row came to it, and the entry is still the one judged.
    ObjectCheckResult examine(BucketRef bucket, String key) throws IOException {
        boolean twice = false;
        for (int look = 0; look < LOOKS; look++) {
            var verdict = look(bucket, key);
            if (store.isDropped(bucket.id())) {
                return new ObjectCheckResult.Gone();
            }
            if (!(verdict instanceof ObjectCheckResult.Bad bad)) {
                return verdict;
            }
            boolean sure = isStill(bucket, key, bad.entry());
            if (sure && twice) {
                return bad;
            }
            twice = sure;
        }
        return new ObjectCheckResult.Gone();
    }

    private boolean isStill(BucketRef bucket, String key, Optional<ObjectEntry> judged) throws IOException {
        try (var _ = publishing.lock(new ObjectKey(bucket.id(), key))) {
            return store.entry(bucket.id(), key).equals(judged);
        } catch (DamagedRecordException _) {
            return judged.isEmpty();
        }
    }

    private ObjectCheckResult look(BucketRef bucket, String key) throws IOException {
        Optional<ObjectEntry> known = Optional.empty();
        Seen seen;
        try (var _ = publishing.lock(new ObjectKey(bucket.id(), key))) {
            known = store.entry(bucket.id(), key);
            if (known.isEmpty()) {
                return new ObjectCheckResult.Gone();
            }
            seen = see(bucket, key, known.get());
        } catch (DamagedRecordException damaged) {
            return ObjectCheckResult.Bad.of(INDEX, String.valueOf(damaged.getMessage()), Optional.empty());
        } catch (UnknownFormatException newer) {
            return new ObjectCheckResult.Unknown(String.valueOf(newer.getMessage()));
        } catch (FileFailure failure) {
            return ObjectCheckResult.Bad.of(UNREADABLE, failure.why(), known);
        }
        return switch (seen.found) {
            case Found.Absent() -> new ObjectCheckResult.Gone();
            case Found.Damaged(var why) -> ObjectCheckResult.Bad.of(DAMAGED, why, known);
            case Found.Present(var record, var file) -> {
                try {
                    yield judged(bucket, known.get(), seen.head.orElseThrow(), record, file);
                } catch (UnknownFormatException newer) {
                    yield new ObjectCheckResult.Unknown(String.valueOf(newer.getMessage()));
                } catch (FileFailure failure) {
                    yield new ObjectCheckResult.Bad(
                            UNREADABLE, failure.why(), known, Optional.of(record.version()), false);
                } finally {
                    file.close();
                }
            }
        };
    }

    /// A file that the drive does not give; a failure of the index, in contrast, ends the scrub.
    private static final class FileFailure extends IOException {
        FileFailure(IOException cause) {
            super(cause);
        }

        String why() {
            return String.valueOf(getCause());
        }
    }

    /// What lies where the entry says.
    ///
    /// @param head of the record, when there is an object
    private record Seen(Found found, Optional<RecordFormat.Head> head) {}

    private Seen see(BucketRef bucket, String key, ObjectEntry entry) throws IOException {
        try {
            var found = store.lookAt(bucket, key, entry);
            return found instanceof Found.Present present
                    ? new Seen(found, Optional.of(head(Layout.path(bucket, key, entry), present.file())))
                    : new Seen(found, Optional.empty());
        } catch (UnknownFormatException newer) {
            throw newer;
        } catch (IOException failure) {
            throw new FileFailure(failure);
        }
    }

    private RecordFormat.Head head(String path, DriveFile file) throws IOException {
        boolean read = false;
        try {
            var head = store.head(path);
            read = true;
            return head;
        } finally {
            if (!read) {
                file.close();
            }
        }
    }

    private ObjectCheckResult judged(
            BucketRef bucket, ObjectEntry entry, RecordFormat.Head head, ObjectRecord record, DriveFile file)
            throws IOException {
        var path = Layout.path(bucket, record.key(), entry);
        var wrong = wrongBlock(record, file);
        if (wrong.isEmpty() && head.isApart()) {
            wrong = wrongDetails(head, record);
        }
        if (wrong.isPresent()) {
            var why = path + " " + wrong.get();
            return new ObjectCheckResult.Bad(DAMAGED, why, Optional.of(entry), Optional.of(record.version()), true);
        }
        var told = ObjectEntry.of(head, entry.escaped());
        if (!entry.marked(false).unsynced(false).equals(told)) {
            var why = "%s is version %s of %d bytes, the index says version %s of %d bytes"
                    .formatted(
                            path,
                            told.version().id(),
                            told.size(),
                            entry.version().id(),
                            entry.size());
            return new ObjectCheckResult.Bad(INDEX, why, Optional.of(entry), Optional.of(record.version()), false);
        }
        return entry.damaged() ? new ObjectCheckResult.Restored(entry) : new ObjectCheckResult.Whole();
    }

    private Optional<String> wrongBlock(ObjectRecord record, DriveFile file) throws IOException {
        if (record.position() == Slice.NONE && record.size() > 0) {
            return Optional.of("is the record of an object without its bytes");
        }
        var sums = record.fileSums();
        for (int block = 0; block < sums.count(); block++) {
            long offset = (long) block * BlockSums.BLOCK;
            var bytes = read(file, offset, (int) Math.min(BlockSums.BLOCK, record.fileSize() - offset));
            if (!sums.matches(block, bytes)) {
                return Optional.of("does not match the checksum of block " + block);
            }
        }
        return Optional.empty();
    }

    /// Readers may have the details from memory; here they come from the drive.
    private Optional<String> wrongDetails(RecordFormat.Head head, ObjectRecord record) throws IOException {
        var path = Layout.aux(record.version());
        try {
            return RecordFormat.complete(head, _ -> details(path)).equals(record)
                    ? Optional.empty()
                    : Optional.of("has other details in " + path);
        } catch (DamagedRecordException damaged) {
            return Optional.of("has details in " + path + ": " + damaged.getMessage());
        } catch (NoSuchFileException _) {
            return Optional.of("has no details: " + path + " is gone");
        }
    }

    private byte[] details(String path) throws IOException {
        try (var file = opened(path)) {
            var bytes = ByteBuffer.allocate(Math.toIntExact(file.identity().size()));
            for (int offset = 0; bytes.hasRemaining(); offset = bytes.position()) {
                bytes.put(read(file, offset, Math.min(BlockSums.BLOCK, bytes.remaining())));
                if (bytes.position() == offset) {
                    throw new DamagedRecordException("they end too early");
                }
            }
            return bytes.array();
        }
    }

    private DriveFile opened(String path) throws IOException {
        try {
            return store.open(path);
        } catch (NoSuchFileException missing) {
            throw missing;
        } catch (IOException failure) {
            throw new FileFailure(failure);
        }
    }

    /// What the drive has there; less when the file ends before.
    private ByteBuffer read(DriveFile file, long offset, int length) throws IOException {
        gate.beforeReading(length);
        try {
            return DriveFile.uncached(file, offset, length, buffer);
        } catch (IOException failure) {
            throw new FileFailure(failure);
        }
    }
}
