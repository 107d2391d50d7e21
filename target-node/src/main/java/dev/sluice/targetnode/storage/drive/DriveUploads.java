package dev.sluice.targetnode.storage.drive;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.files.DriveFile;
import dev.sluice.targetnode.storage.files.DriveFiles;
import dev.sluice.targetnode.storage.index.DriveIndex;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.index.UploadKeys;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectKey;
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
import java.util.function.Predicate;

/// The multipart uploads of one drive. Unless said otherwise to be called on a drive thread; what it prepares is
/// committed by the [Drive].
public final class DriveUploads {
    private static final int COMPLETED_FORMAT = 1;

    private final Contents contents;
    private final DriveFiles files;
    private final DriveIndex index;

    DriveUploads(Contents contents) {
        this.contents = contents;
        this.files = contents.files();
        this.index = contents.index();
    }

    public boolean isEmpty() throws IOException {
        return !index.has(Table.UPLOADS, new byte[0]);
    }

    /// Whether a bucket has none.
    public boolean isEmpty(long bucketId) throws IOException {
        return !index.has(Table.UPLOADS, IndexKeys.number(bucketId));
    }

    /// How many a bucket has. On any thread.
    public int count(long bucketId) {
        return contents.usages().uploads(bucketId);
    }

    public boolean has(BucketRef bucket, String key, String uploadId) throws IOException {
        return index.get(Table.UPLOADS, UploadKeys.upload(bucket.id(), key, uploadId))
                .isPresent();
    }

    public UploadState require(BucketRef bucket, String key, String uploadId) throws IOException {
        var value = index.get(Table.UPLOADS, UploadKeys.upload(bucket.id(), key, uploadId));
        if (value.isEmpty()) {
            throw new StoreException.NoSuchUpload(uploadId);
        }
        return UploadState.decode(value.get());
    }

    public List<Part> parts(String uploadId, int after, int limit) throws IOException {
        var parts = new ArrayList<Part>();
        var id = UploadKeys.id(uploadId);
        index.scan(Table.PARTS, UploadKeys.part(uploadId, after + 1), (key, value) -> {
            if (parts.size() == limit || !IndexKeys.startsWith(key, id)) {
                return false;
            }
            parts.add(Part.decode(value));
            return true;
        });
        return parts;
    }

    public Optional<Part> part(String uploadId, int number) throws IOException {
        var value = index.get(Table.PARTS, UploadKeys.part(uploadId, number));
        return value.isEmpty() ? Optional.empty() : Optional.of(Part.decode(value.get()));
    }

    /// Makes an upload's folder, with its record.
    public Prepared prepare(UploadState upload) throws IOException {
        var folder = Layout.upload(upload.uploadId());
        boolean written = false;
        files.createFolders(folder);
        try {
            write(folder + "/" + UploadState.FILE, upload);
            written = true;
        } finally {
            if (!written) {
                throwAway(upload.uploadId());
            }
        }
        return entered(upload);
    }

    /// Gives an upload another record.
    public Prepared rewrite(UploadState upload) throws IOException {
        var path = Layout.upload(upload.uploadId()) + "/" + UploadState.FILE;
        var next = path + ".next";
        files.delete(next); // which a crash may have left
        write(next, upload);
        files.rename(next, path);
        return entered(upload);
    }

    private void write(String path, UploadState upload) throws IOException {
        try (var file = files.create(path)) {
            file.write(0, ByteBuffer.wrap(upload.encode()));
            file.sync();
        }
    }

    private static Prepared entered(UploadState upload) {
        var indexKey = UploadKeys.upload(upload.bucket().id(), upload.key(), upload.uploadId());
        var index = new IndexBatch().put(Table.UPLOADS, indexKey, upload.encode());
        return Prepared.ofIndex(index, Set.of(Layout.upload(upload.uploadId()), Layout.UPLOADS), true);
    }

    /// Gives a part that was written its record, and syncs both when they are to last. The record is there before the
    /// bytes are synced: a file system with a journal has both on the drive then.
    ///
    /// @param bytes the file that it was written to
    public Prepared preparePart(UploadState upload, Part part, ObjectVersion version, DriveFile bytes, boolean durable)
            throws IOException {
        var folder = Layout.upload(upload.uploadId());
        var path = folder + "/" + part.recordFile();
        var record = PartRecord.of(upload.uploadId(), version, part).encode();
        if (part.isInPlace()) {
            try (var own = createOrEdit(path)) {
                files.setAttribute(path, record);
                sync(bytes, durable);
                sync(own, durable);
            }
        } else {
            files.setAttribute(path, record);
            sync(bytes, durable);
        }
        var indexKey = UploadKeys.part(upload.uploadId(), part.number());
        return Prepared.ofIndex(
                new IndexBatch().put(Table.PARTS, indexKey, part.encode()), Set.of(folder, Layout.UPLOADS), durable);
    }

    /// The record of a part that was in place before may be there still.
    private DriveFile createOrEdit(String path) throws IOException {
        try {
            return files.edit(path);
        } catch (NoSuchFileException _) {
            return files.create(path);
        }
    }

    private static void sync(DriveFile file, boolean durable) throws IOException {
        if (durable) {
            file.sync();
        }
    }

    /// Opens the file of a part that is to be written, and makes it if need be. One at a time for an upload: parts that
    /// share a file may all be the first.
    public DriveFile openPart(UploadState upload, String file) throws IOException {
        var folder = Layout.upload(upload.uploadId());
        files.createFolders(folder);
        return createOrEdit(folder + "/" + file);
    }

    /// Reads bytes of a part, unverified, from an offset in it; Unavailable when it is replaced or the upload ends.
    public void readPart(UploadState upload, Part part, long offset, ByteBuffer into) throws IOException {
        try (var file = files.open(Layout.upload(upload.uploadId()) + "/" + part.file())) {
            file.read(part.offset() + offset, into);
        } catch (NoSuchFileException _) {
            throw new StoreException.Unavailable("part " + part.number() + " was moved while it was read: try again");
        }
    }

    /// Deletes what is left of a part that was replaced, or given up.
    public boolean forget(UploadState upload, String recordFile) throws IOException {
        return files.delete(Layout.upload(upload.uploadId()) + "/" + recordFile);
    }

    /// Makes one file of the parts ([Assembly#run]).
    public Assembly.Result assemble(
            UploadState upload, List<Part> wanted, List<Part> present, boolean quiet, String spare) throws IOException {
        return new Assembly(files, upload.uploadId(), wanted).run(present, quiet, spare);
    }

    /// Takes away the files of an upload that has ended.
    public void throwAway(String uploadId) throws IOException {
        contents.throwAwayUpload(uploadId);
    }

    /// @param wanted of the bucket's uploads
    public List<UploadState> list(long bucketId, String prefix, byte[] from, int limit, Predicate<UploadState> wanted)
            throws IOException {
        return scan(from, IndexKeys.object(bucketId, prefix), limit, wanted);
    }

    /// Of all buckets.
    public List<UploadState> all(Predicate<UploadState> wanted) throws IOException {
        return scan(new byte[0], new byte[0], Integer.MAX_VALUE, wanted);
    }

    private List<UploadState> scan(byte[] from, byte[] within, int limit, Predicate<UploadState> wanted)
            throws IOException {
        var uploads = new ArrayList<UploadState>();
        index.scan(Table.UPLOADS, from, (key, value) -> {
            if (uploads.size() == limit || !IndexKeys.startsWith(key, within)) {
                return false;
            }
            var upload = UploadState.decode(value);
            if (wanted.test(upload)) {
                uploads.add(upload);
            }
            return true;
        });
        return uploads;
    }

    /// What a repeated request for the completion of an upload is answered with.
    public Optional<ObjectRecord> completed(String uploadId, BucketRef bucket, String key) throws IOException {
        var value = index.get(Table.COMPLETED, UploadKeys.id(uploadId));
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

    /// The end of an upload.
    public static Prepared ending(UploadState upload) {
        return Prepared.ofIndex(ended(upload), Set.of(), true);
    }

    /// The same of one that has become an object.
    public static Prepared ending(UploadState upload, ObjectRecord result, boolean durable) {
        return Prepared.ofIndex(ended(upload, result), Set.of(), durable);
    }

    private static IndexBatch ended(UploadState upload) {
        return new IndexBatch()
                .delete(Table.UPLOADS, UploadKeys.upload(upload.bucket().id(), upload.key(), upload.uploadId()))
                .deleteRange(
                        Table.PARTS,
                        UploadKeys.part(upload.uploadId(), 0),
                        UploadKeys.afterLastPart(upload.uploadId()));
    }

    /// What is to be committed with the object that an upload has become.
    public static IndexBatch ended(UploadState upload, ObjectRecord result) {
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

    /// What forgets results that nobody asks for any more; empty when there are none.
    public Optional<Prepared> forgetCompleted(long millis) throws IOException {
        var batch = new IndexBatch();
        index.scan(Table.COMPLETED, new byte[0], (key, value) -> {
            if (new PackedReader("a completed upload", value, COMPLETED_FORMAT).number() < millis) {
                batch.delete(Table.COMPLETED, key);
            }
            return true;
        });
        return batch.isEmpty() ? Optional.empty() : Optional.of(Prepared.ofIndex(batch, Set.of(), false));
    }

    /// Whether a write that is not decided ends it. On any thread.
    public boolean isEnding(UploadState upload) {
        var name = new ObjectKey(upload.bucket().id(), upload.key());
        return contents.open()
                .get(name)
                .filter(open -> open.ends(upload.uploadId()))
                .isPresent();
    }

    /// An upload's bytes were to become the object, and do not.
    public void giveUp(String work) throws IOException {
        contents.places().giveUp(work);
    }
}
