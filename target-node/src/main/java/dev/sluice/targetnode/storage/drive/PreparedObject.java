package dev.sluice.targetnode.storage.drive;

import dev.sluice.targetnode.storage.files.DriveFile;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.DamagedRecordException;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.RecordFormat;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Optional;

/// An object as an open intent has it, or as it is committed. It need not be sound: whoever takes its bytes compares
/// them with the record.
public sealed interface PreparedObject {
    ObjectRecord record();

    /// Its record; its file is closed.
    default ObjectRecord onlyRecord(Drive drive) {
        if (this instanceof InFile(var _, var file)) {
            drive.closeLater(file);
        }
        return record();
    }

    /// @param file to be closed by the receiver
    record InFile(ObjectRecord record, DriveFile file) implements PreparedObject {}

    @SuppressWarnings("ArrayRecordComponent") // made once, read once
    record InMemory(ObjectRecord record, byte[] content) implements PreparedObject {}

    /// What a drive has of a version, committed or only prepared. Nobody must publish a change of the key meanwhile.
    /// A slice that is marked as damaged may have sound cells.
    ///
    /// @return empty when it has neither, or when what it has is damaged
    static Optional<PreparedObject> ofVersion(Drive drive, BucketRef bucket, ObjectKey name, ObjectVersion version) {
        var entry = drive.call(() -> drive.store().entry(name.bucketId(), name.key()))
                .filter(row -> row.version().equals(version));
        if (entry.isPresent()) {
            boolean isSlice = entry.get().slice().isPresent();
            return switch (drive.call(() -> isSlice
                    ? drive.store().lookAt(bucket, name.key(), entry.get())
                    : drive.store().find(bucket, name.key()))) {
                case Found.Absent(), Found.Damaged _ -> Optional.empty();
                case Found.Present(var record, var file) -> Optional.of(new InFile(record, file));
            };
        }
        return drive.call(() -> drive.store().prepared(name, version));
    }

    /// On a drive thread. The intent must not be committed or aborted meanwhile.
    ///
    /// @return empty when the key has no open intent of this version that writes an object, or that is damaged
    static Optional<PreparedObject> find(Contents contents, ObjectKey key, ObjectVersion version) throws IOException {
        var open = contents.open().get(key, version);
        try {
            return open.isPresent() && open.get().intent() instanceof Intent.Put put
                    ? of(contents, put, open.get().content())
                    : Optional.empty();
        } catch (DamagedRecordException | NoSuchFileException _) {
            return Optional.empty();
        }
    }

    private static Optional<PreparedObject> of(Contents contents, Intent.Put put, boolean inIndex) throws IOException {
        if (!inIndex) {
            var record = contents.record(put.work());
            return Optional.of(new InFile(record, contents.files().open(put.work())));
        }
        var stored = contents.index().get(Table.INTENTS, put.indexKey());
        if (stored.isEmpty() || !(Intent.decode(stored.get()) instanceof Intent.Put whole)) {
            return Optional.empty();
        }
        var content = whole.content().orElseThrow();
        var record = RecordFormat.decode(content.record(), put.key(), _ -> {
            throw new DamagedRecordException("the details of a small object are not in its intent");
        });
        return Optional.of(new InMemory(record, content.data()));
    }
}
