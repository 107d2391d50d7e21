package dev.sluice.targetnode.storage.multipart;

import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.s3.S3Request.CompletedPart;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.change.Shelf;
import dev.sluice.targetnode.storage.change.WriteCheck;
import dev.sluice.targetnode.storage.drive.Contents;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.Layout;
import dev.sluice.targetnode.storage.health.Drives;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/// Multipart uploads of one target. An upload lives on the drive of its key, survives restarts, and becomes the
/// object in one commit. Blocks: for virtual threads.
public final class Multipart {
    private static final int LAST_NUMBER = 10_000;

    private final Drives drives;
    private final Shelf shelf;
    private final ConcurrentHashMap<String, Running> running = new ConcurrentHashMap<>();

    /// An upload's places on a drive; void when the drive has been opened anew.
    private record Running(Drive drive, Placement placement) {}

    public Multipart(Drives drives, Shelf shelf) {
        this.drives = drives;
        this.shelf = shelf;
    }

    /// CreateMultipartUpload.
    public UploadState create(
            BucketRef bucket,
            String key,
            SortedMap<String, String> headers,
            SortedMap<String, String> userMetadata,
            Optional<String> checksumAlgorithm,
            boolean fullObjectChecksum) {
        var drive = drives.toWrite(bucket.id(), key);
        drive.space().take(0);
        var upload = new UploadState(
                bucket,
                key,
                UUID.randomUUID().toString().replace("-", ""),
                System.currentTimeMillis(),
                headers,
                userMetadata,
                checksumAlgorithm,
                fullObjectChecksum);
        drive.commit(Contents.prepareIndex(
                new IndexBatch()
                        .put(Table.UPLOADS, UploadKeys.upload(bucket.id(), key, upload.uploadId()), upload.encode()),
                Set.of(),
                true));
        return upload;
    }

    /// What CreateMultipartUpload was given.
    public UploadState require(BucketRef bucket, String key, String uploadId) {
        var drive = drives.toRead(bucket.id(), key);
        return drive.call(() -> new Uploads(drive.contents()).require(bucket, key, uploadId));
    }

    /// UploadPart: begins a part, to be ended by commit or close.
    ///
    /// @param expectedLength -1 when it is not known
    public PartUpload part(
            BucketRef bucket, String key, String uploadId, int number, long expectedLength, Durability durability) {
        if (number < 1 || number > LAST_NUMBER) {
            throw new StoreException.InvalidArgument("Part number must be between 1 and " + LAST_NUMBER);
        }
        var drive = drives.toWrite(bucket.id(), key);
        drive.space().take(Math.max(0, expectedLength));
        var uploads = new Uploads(drive.contents());
        var upload = drive.call(() -> uploads.require(bucket, key, uploadId));
        return new PartUpload(
                drive,
                uploads,
                placement(drive, uploadId),
                upload,
                number,
                expectedLength,
                durability == Durability.FSYNC,
                "part-" + number + "-" + shelf.versions().next().id());
    }

    private Placement placement(Drive drive, String uploadId) {
        var known = running.get(uploadId);
        if (known != null && known.drive == drive) {
            return known.placement;
        }
        var found = new Placement(drive.call(() -> new Uploads(drive.contents()).parts(uploadId, 0, LAST_NUMBER)));
        return running.compute(
                        uploadId,
                        (_, before) -> before != null && before.drive == drive ? before : new Running(drive, found))
                .placement;
    }

    /// ListParts: parts with a greater number.
    public List<Part> listParts(BucketRef bucket, String key, String uploadId, int after, int limit) {
        var drive = drives.toRead(bucket.id(), key);
        var uploads = new Uploads(drive.contents());
        return drive.call(() -> {
            uploads.require(bucket, key, uploadId);
            return uploads.parts(uploadId, after, limit);
        });
    }

    /// ListMultipartUploads, by key and then by id.
    ///
    /// @param keyMarker keys greater than it are listed, and of that very key the uploads with a greater id than
    ///     `idMarker` when that is given
    public List<UploadState> listUploads(long bucketId, String prefix, String keyMarker, String idMarker, int limit) {
        var from = from(bucketId, prefix, keyMarker, idMarker);
        var all = new ArrayList<UploadState>();
        for (var drive : drives.allToRead()) {
            all.addAll(drive.call(() -> new Uploads(drive.contents()).list(bucketId, prefix, from, limit)));
        }
        all.sort(Comparator.comparing(
                upload -> UploadKeys.upload(bucketId, upload.key(), upload.uploadId()), Arrays::compareUnsigned));
        return all.size() <= limit ? all : List.copyOf(all.subList(0, limit));
    }

    private static byte[] from(long bucketId, String prefix, String keyMarker, String idMarker) {
        var first = IndexKeys.object(bucketId, prefix);
        if (keyMarker.isEmpty()) {
            return first;
        }
        var after = idMarker.isEmpty()
                ? IndexKeys.object(bucketId, keyMarker + "\1")
                : IndexKeys.after(UploadKeys.upload(bucketId, keyMarker, idMarker));
        return Arrays.compareUnsigned(first, after) > 0 ? first : after;
    }

    /// What became of an upload that was completed not too long ago.
    public Optional<ObjectRecord> completed(BucketRef bucket, String key, String uploadId) {
        var drive = drives.toRead(bucket.id(), key);
        return drive.call(() -> new Uploads(drive.contents()).completed(uploadId, bucket, key));
    }

    /// Reads a part's bytes, unverified, from an offset in it.
    public void readPart(UploadState upload, Part part, long offset, ByteBuffer into) {
        var drive = drives.toRead(upload.bucket().id(), upload.key());
        drive.call(() -> {
            try (var file = drive.contents().files().open(UploadKeys.folder(upload.uploadId()) + "/" + part.file())) {
                file.read(part.offset() + offset, into);
            }
            return into;
        });
    }

    /// CompleteMultipartUpload: makes the object of the parts. Done again with an upload that is completed already,
    /// it gives the same result.
    ///
    /// @param checksums of the whole object, to keep
    /// @param check judged like that of any other write
    /// @return the record; its ETag is the MD5 of the parts' MD5s and their number
    public ObjectRecord complete(
            BucketRef bucket,
            String key,
            String uploadId,
            List<CompletedPart> list,
            Map<ChecksumAlgorithm, String> checksums,
            WriteCheck check,
            Durability durability) {
        var drive = drives.toWrite(bucket.id(), key);
        var uploads = new Uploads(drive.contents());
        var lock = placement(drive, uploadId).ending().writeLock();
        lock.lock();
        try {
            var before = drive.call(() -> uploads.completed(uploadId, bucket, key));
            if (before.isPresent()) {
                return before.get();
            }
            var record = shelf.commit(drive, new ObjectKey(bucket.id(), key), () -> {
                var upload = uploads.require(bucket, key, uploadId);
                var present = uploads.parts(uploadId, 0, LAST_NUMBER);
                var wanted = CompletedParts.wanted(list, present);
                shelf.check(drive, bucket, key, check);
                var spare = Layout.work(shelf.versions().next());
                var whole = new Assembly(drive.contents().files(), uploadId, wanted).run(present, spare);
                try (var file = whole.file()) {
                    var made = record(upload, wanted, whole, checksums);
                    return new Shelf.Ready<>(
                            drive.contents()
                                    .preparePut(
                                            bucket,
                                            whole.path(),
                                            file,
                                            made,
                                            Uploads.ended(upload, made),
                                            durability == Durability.FSYNC),
                            made);
                }
            });
            drive.call(() -> {
                uploads.deleteFiles(uploadId);
                return record;
            });
            return record;
        } finally {
            lock.unlock();
            running.remove(uploadId);
        }
    }

    private ObjectRecord record(
            UploadState upload, List<Part> parts, Assembly.Result whole, Map<ChecksumAlgorithm, String> checksums) {
        return new ObjectRecord(
                upload.bucket().id(),
                upload.key(),
                shelf.versions().next(),
                whole.size(),
                upload.createdMillis(),
                System.currentTimeMillis(),
                CompletedParts.etag(parts),
                checksums,
                upload.headers(),
                upload.userMetadata(),
                parts.stream().map(Part::size).toList(),
                Optional.empty(),
                whole.blocks());
    }

    /// AbortMultipartUpload.
    public void abort(BucketRef bucket, String key, String uploadId) {
        var drive = drives.toWrite(bucket.id(), key);
        var uploads = new Uploads(drive.contents());
        var lock = placement(drive, uploadId).ending().writeLock();
        lock.lock();
        try {
            var upload = drive.call(() -> uploads.require(bucket, key, uploadId));
            drive.commit(Contents.prepareIndex(Uploads.ended(upload), Set.of(), true));
            drive.call(() -> {
                uploads.deleteFiles(uploadId);
                return upload;
            });
        } finally {
            lock.unlock();
            running.remove(uploadId);
        }
    }

    /// Forgets old results, and uploads that were begun long ago, on the drives that serve. To be called now and then.
    public void expire(Instant completedBefore, Instant begunBefore) {
        for (var drive : drives.serving()) {
            var uploads = new Uploads(drive.contents());
            var old = new HashMap<String, UploadState>();
            var forgotten = drive.call(() -> {
                for (var upload : uploads.begunBefore(begunBefore.toEpochMilli())) {
                    old.put(upload.uploadId(), upload);
                }
                return uploads.completedBefore(completedBefore.toEpochMilli());
            });
            if (!forgotten.isEmpty()) {
                drive.commit(Contents.prepareIndex(forgotten, Set.of(), false));
            }
            for (var upload : old.values()) {
                try {
                    abort(upload.bucket(), upload.key(), upload.uploadId());
                } catch (StoreException.NoSuchUpload _) {
                    // it ended by itself meanwhile
                }
            }
        }
    }
}
