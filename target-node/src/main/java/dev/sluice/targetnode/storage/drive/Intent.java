package dev.sluice.targetnode.storage.drive;

import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.index.ObjectEntry;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.index.UploadKeys;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.PackedReader;
import dev.sluice.targetnode.storage.record.PackedWriter;
import java.io.IOException;
import java.util.Optional;

/// A change that is decided. It is durable in the index before any name in the file system changes, holds all that
/// is needed to do it again, and goes only once the changed folders are durable.
sealed interface Intent {
    int FORMAT = 2;

    BucketRef bucket();

    String key();

    ObjectVersion version();

    /// A small object's record, as [RecordFormat#atItsPath] makes it, and its bytes.
    @SuppressWarnings("ArrayRecordComponent") // made once, read once
    record Content(byte[] record, byte[] data) {}

    /// The work file becomes the object.
    ///
    /// @param with changes of the index that happen together with it
    /// @param content where the intent is what makes the object durable, instead of a sync of the work file
    record Put(BucketRef bucket, String key, String work, ObjectEntry entry, IndexBatch with, Optional<Content> content)
            implements Intent {
        /// What is still to be known once the intent is in the index.
        Put withoutContent() {
            return new Put(bucket, key, work, entry, with, Optional.empty());
        }

        /// The upload that becomes the object.
        Optional<String> endedUpload() {
            return with.changes().stream()
                    .filter(change -> change.table() == Table.UPLOADS && change.kind() == IndexBatch.Kind.DELETE)
                    .map(change -> UploadKeys.idOf(change.key()))
                    .findFirst();
        }

        @Override
        public ObjectVersion version() {
            return entry.version();
        }
    }

    /// The object goes.
    record Delete(BucketRef bucket, String key, ObjectVersion version) implements Intent {}

    default ObjectKey name() {
        return new ObjectKey(bucket().id(), key());
    }

    /// Its key among the intents.
    default byte[] indexKey() {
        return IndexKeys.version(version());
    }

    default byte[] encode() {
        var out = new PackedWriter(FORMAT)
                .flag(this instanceof Put)
                .number(bucket().id())
                .text(bucket().name())
                .text(key());
        return switch (this) {
            case Put put -> {
                out.text(put.work).bytes(put.entry.encode());
                put.with.writeTo(out);
                out.flag(put.content.isPresent());
                put.content.ifPresent(content -> out.bytes(content.record).bytes(content.data));
                yield out.sealed();
            }
            case Delete delete -> out.version(delete.version).sealed();
        };
    }

    static Intent decode(byte[] value) throws IOException {
        var in = new PackedReader("an intent", value, FORMAT);
        boolean put = in.flag();
        var bucket = new BucketRef(in.number(), in.text());
        var key = in.text();
        return put
                ? new Put(
                        bucket,
                        key,
                        in.text(),
                        ObjectEntry.decode(in.bytes()),
                        IndexBatch.readFrom(in),
                        in.flag() ? Optional.of(new Content(in.bytes(), in.bytes())) : Optional.empty())
                : new Delete(bucket, key, in.version());
    }
}
