package dev.sluice.targetnode.storage.multipart;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.drive.Contents;
import dev.sluice.targetnode.storage.drive.Layout;
import dev.sluice.targetnode.storage.drive.Prepared;
import dev.sluice.targetnode.storage.files.DriveFile;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.index.UploadKeys;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.PackedReader;
import dev.sluice.targetnode.storage.record.PackedWriter;
import dev.sluice.targetnode.storage.record.Part;
import dev.sluice.targetnode.storage.record.PartRecord;
import dev.sluice.targetnode.storage.record.RecordFormat;
import dev.sluice.targetnode.storage.record.UploadState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// What one drive's index says of its multipart uploads. To be called on a drive thread.
final class Uploads {
    private static final int COMPLETED_FORMAT = 1;

    private final Contents contents;

    Uploads(Contents contents) {
        this.contents = contents;
    }

    boolean has(BucketRef bucket, String key, String uploadId) throws IOException {
        return contents.index()
                .get(Table.UPLOADS, UploadKeys.upload(bucket.id(), key, uploadId))
                .isPresent();
    }

    UploadState require(BucketRef bucket, String key, String uploadId) throws IOException {
        var value = contents.index().get(Table.UPLOADS, UploadKeys.upload(bucket.id(), key, uploadId));
        if (value.isEmpty()) {
            throw new StoreException.NoSuchUpload(uploadId);
        }
        return UploadState.decode(value.get());
    }

    List<Part> parts(String uploadId, int after, int limit) throws IOException {
        var parts = new ArrayList<Part>();
        var id = UploadKeys.id(uploadId);
        contents.index().scan(Table.PARTS, UploadKeys.part(uploadId, after + 1), (key, value) -> {
            if (parts.size() == limit || !IndexKeys.startsWith(key, id)) {
                return false;
            }
            parts.add(Part.decode(value));
            return true;
        });
        return parts;
    }

    Optional<Part> part(String uploadId, int number) throws IOException {
        var value = contents.index().get(Table.PARTS, UploadKeys.part(uploadId, number));
        return value.isEmpty() ? Optional.empty() : Optional.of(Part.decode(value.get()));
    }

    /// Makes an upload's folder, with its record.
    Prepared prepare(UploadState upload) throws IOException {
        var folder = Layout.upload(upload.uploadId());
        boolean written = false;
        contents.files().createFolders(folder);
        try {
            write(folder + "/" + UploadState.FILE, upload);
            written = true;
        } finally {
            if (!written) {
                contents.throwAwayUpload(upload.uploadId());
            }
        }
        return entered(upload);
    }

    /// Gives an upload another record.
    Prepared rewrite(UploadState upload) throws IOException {
        var path = Layout.upload(upload.uploadId()) + "/" + UploadState.FILE;
        var next = path + ".next";
        contents.files().delete(next); // which a crash may have left
        write(next, upload);
        contents.files().rename(next, path);
        return entered(upload);
    }

    private void write(String path, UploadState upload) throws IOException {
        try (var file = contents.files().create(path)) {
            file.write(0, ByteBuffer.wrap(upload.encode()));
            file.sync();
        }
    }

    private static Prepared entered(UploadState upload) {
        var indexKey = UploadKeys.upload(upload.bucket().id(), upload.key(), upload.uploadId());
        return Contents.prepareIndex(
                new IndexBatch().put(Table.UPLOADS, indexKey, upload.encode()),
                Set.of(Layout.upload(upload.uploadId()), Layout.UPLOADS),
                true);
    }

    /// Gives a part that was written its record, and syncs both when they are to last. The record is there before the
    /// bytes are synced: a file system with a journal has both on the drive then.
    ///
    /// @param bytes the file that it was written to
    Prepared preparePart(UploadState upload, Part part, ObjectVersion version, DriveFile bytes, boolean durable)
            throws IOException {
        var folder = Layout.upload(upload.uploadId());
        var path = folder + "/" + part.recordFile();
        var record = PartRecord.of(upload.uploadId(), version, part).encode();
        if (part.isInPlace()) {
            try (var own = createOrEdit(path)) {
                contents.files().setAttribute(path, record);
                sync(bytes, durable);
                sync(own, durable);
            }
        } else {
            contents.files().setAttribute(path, record);
            sync(bytes, durable);
        }
        var indexKey = UploadKeys.part(upload.uploadId(), part.number());
        return Contents.prepareIndex(
                new IndexBatch().put(Table.PARTS, indexKey, part.encode()), Set.of(folder, Layout.UPLOADS), durable);
    }

    /// The record of a part that was in place before may be there still.
    private DriveFile createOrEdit(String path) throws IOException {
        try {
            return contents.files().edit(path);
        } catch (NoSuchFileException _) {
            return contents.files().create(path);
        }
    }

    private static void sync(DriveFile file, boolean durable) throws IOException {
        if (durable) {
            file.sync();
        }
    }

    /// Deletes what is left of a part that was replaced.
    boolean forget(UploadState upload, Part replaced) throws IOException {
        return contents.files().delete(Layout.upload(upload.uploadId()) + "/" + replaced.recordFile());
    }

    List<UploadState> list(long bucketId, String prefix, byte[] from, int limit) throws IOException {
        var uploads = new ArrayList<UploadState>();
        var prefixKey = IndexKeys.object(bucketId, prefix);
        contents.index().scan(Table.UPLOADS, from, (key, value) -> {
            if (uploads.size() == limit || !IndexKeys.startsWith(key, prefixKey)) {
                return false;
            }
            uploads.add(UploadState.decode(value));
            return true;
        });
        return uploads;
    }

    /// What a repeated request for the completion of an upload is answered with.
    Optional<ObjectRecord> completed(String uploadId, BucketRef bucket, String key) throws IOException {
        var value = contents.index().get(Table.COMPLETED, UploadKeys.id(uploadId));
        if (value.isEmpty()) {
            return Optional.empty();
        }
        var in = new PackedReader("a completed upload", value.get(), COMPLETED_FORMAT);
        in.number();
        var attribute = in.bytes();
        var details = in.bytes();
        var record = RecordFormat.decode(attribute, RecordFormat.NO_KEY, _ -> details);
        return record.bucketId() == bucket.id() && record.key().equals(key) ? Optional.of(record) : Optional.empty();
    }

    static IndexBatch ended(UploadState upload) {
        return new IndexBatch()
                .delete(Table.UPLOADS, UploadKeys.upload(upload.bucket().id(), upload.key(), upload.uploadId()))
                .deleteRange(
                        Table.PARTS,
                        UploadKeys.part(upload.uploadId(), 0),
                        UploadKeys.afterLastPart(upload.uploadId()));
    }

    static IndexBatch ended(UploadState upload, ObjectRecord result) {
        var stored = RecordFormat.encode(result);
        return ended(upload)
                .put(
                        Table.COMPLETED,
                        UploadKeys.id(upload.uploadId()),
                        new PackedWriter(COMPLETED_FORMAT)
                                .number(System.currentTimeMillis())
                                .bytes(stored.attribute())
                                .bytes(stored.details().orElse(new byte[0]))
                                .sealed());
    }

    /// Results that nobody asks for any more.
    IndexBatch completedBefore(long millis) throws IOException {
        var batch = new IndexBatch();
        contents.index().scan(Table.COMPLETED, new byte[0], (key, value) -> {
            if (new PackedReader("a completed upload", value, COMPLETED_FORMAT).number() < millis) {
                batch.delete(Table.COMPLETED, key);
            }
            return true;
        });
        return batch;
    }

    List<UploadState> begunBefore(long millis) throws IOException {
        var old = new ArrayList<UploadState>();
        contents.index().scan(Table.UPLOADS, new byte[0], (_, value) -> {
            var upload = UploadState.decode(value);
            if (upload.createdMillis() < millis) {
                old.add(upload);
            }
            return true;
        });
        return old;
    }
}
