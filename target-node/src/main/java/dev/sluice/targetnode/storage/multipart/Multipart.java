package dev.sluice.targetnode.storage.multipart;

import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.s3.S3Request.CompletedPart;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.change.Versions;
import dev.sluice.targetnode.storage.change.WriteCheck;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.DriveUploads;
import dev.sluice.targetnode.storage.health.Drives;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.index.UploadKeys;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.Part;
import dev.sluice.targetnode.storage.record.UploadState;
import dev.sluice.targetnode.storage.slots.SlotWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;

/// Multipart uploads of one target. An upload lives on one drive, the first of its key when it was begun, survives
/// restarts, and becomes the object in one commit, in as many copies as the bucket is to have. All of it
/// blocks: for virtual threads.
public final class Multipart {
    static final int LAST_NUMBER = 10_000;

    private final Drives drives;
    private final Versions versions;
    private final Function<BucketRef, SlotWriter> writers;
    private final Consumer<BucketRef> adopting;
    private final ConcurrentHashMap<String, Running> running = new ConcurrentHashMap<>();

    /// An upload's places on a drive; void when the drive has been opened again. Kept until the upload has ended: parts
    /// are being written there, also while a Complete or an Abort is refused.
    /// Of a bucket.
    public static final int MOST_OPEN = 10_000;

    private record Running(Drive drive, PartLayout placement) {}

    /// @param adopting told of each bucket before its number of copies counts
    public Multipart(
            Drives drives, Versions versions, Function<BucketRef, SlotWriter> writers, Consumer<BucketRef> adopting) {
        this.drives = drives;
        this.versions = versions;
        this.writers = writers;
        this.adopting = adopting;
    }

    /// The drive that an upload lives on.
    ///
    /// @throws StoreException.NoSuchUpload when there is none
    private Drive home(BucketRef bucket, String key, String uploadId) {
        var known = running.get(uploadId);
        if (known != null && known.drive.ready()) {
            return known.drive;
        }
        return first(
                        bucket,
                        key,
                        drive -> drive.uploads().has(bucket, key, uploadId)
                                ? Optional.of(drive)
                                : Optional.<Drive>empty())
                .orElseThrow(() -> new StoreException.NoSuchUpload(uploadId));
    }

    /// On a thread of the drive's.
    private interface Question<T> {
        Optional<T> ask(Drive drive) throws IOException;
    }

    /// Asks the drives one after the other, those that the key belongs on first, until one has an answer.
    ///
    /// @throws StoreException.Unavailable when none has, but there are drives that cannot be asked
    private <T> Optional<T> first(BucketRef bucket, String key, Question<T> question) {
        var asked = new LinkedHashSet<>(drives.of(bucket, key).readable());
        asked.addAll(drives.reading());
        for (var drive : asked) {
            var answer = drive.call(() -> question.ask(drive));
            if (answer.isPresent()) {
                return answer;
            }
        }
        drives.requireAll(asked);
        return Optional.empty();
    }

    private Drive homeToChange(BucketRef bucket, String key, String uploadId) {
        var drive = home(bucket, key, uploadId);
        if (!drive.serves()) {
            throw new StoreException.Unavailable("drive " + drive.id() + " takes no writes now");
        }
        return drive;
    }

    /// CreateMultipartUpload.
    public UploadState create(
            BucketRef bucket,
            String key,
            SortedMap<String, String> headers,
            SortedMap<String, String> userMetadata,
            Optional<String> checksumAlgorithm,
            boolean fullObjectChecksum) {
        requireFew(bucket);
        var upload = new UploadState(
                bucket,
                key,
                UUID.randomUUID().toString().replace("-", ""),
                System.currentTimeMillis(),
                headers,
                userMetadata,
                checksumAlgorithm,
                fullObjectChecksum,
                Optional.empty());
        try (var _ = drives.changing()) {
            var drive = drives.of(bucket, key).toWrite().getFirst();
            drive.space().take(0);
            drive.commit(drive.call(() -> drive.uploads().prepare(upload)));
        }
        return upload;
    }

    /// What CreateMultipartUpload was given.
    public UploadState require(BucketRef bucket, String key, String uploadId) {
        var drive = home(bucket, key, uploadId);
        return drive.call(() -> drive.uploads().require(bucket, key, uploadId));
    }

    /// UploadPart: begins a part, to be ended by commit or close.
    ///
    /// @param expectedLength -1 when it is not known
    public PartUpload part(
            BucketRef bucket, String key, String uploadId, int number, long expectedLength, Durability durability) {
        if (number < 1 || number > LAST_NUMBER) {
            throw new StoreException.InvalidArgument("Part number must be between 1 and " + LAST_NUMBER);
        }
        var drive = homeToChange(bucket, key, uploadId);
        drive.space().requireFits(Math.max(0, expectedLength));
        var uploads = drive.uploads();
        var upload = drive.call(() -> uploads.require(bucket, key, uploadId));
        return new PartUpload(
                drive,
                placement(drive, uploadId),
                upload,
                number,
                expectedLength,
                durability == Durability.FSYNC,
                versions);
    }

    private PartLayout placement(Drive drive, String uploadId) {
        var known = running.get(uploadId);
        if (known != null && known.drive == drive) {
            return known.placement;
        }
        var found = new PartLayout(drive.call(() -> drive.uploads().parts(uploadId, 0, LAST_NUMBER)));
        return running.compute(
                        uploadId,
                        (_, before) -> before != null && before.drive == drive ? before : new Running(drive, found))
                .placement;
    }

    /// ListParts: parts with a greater number.
    public List<Part> listParts(BucketRef bucket, String key, String uploadId, int after, int limit) {
        var drive = home(bucket, key, uploadId);
        var uploads = drive.uploads();
        return drive.call(() -> {
            uploads.require(bucket, key, uploadId);
            return uploads.parts(uploadId, after, limit);
        });
    }

    /// Each takes memory and a folder, and nobody but its maker ends it.
    private void requireFew(BucketRef bucket) {
        int open = drives.reading().stream()
                .mapToInt(drive -> drive.uploads().count(bucket.id()))
                .sum();
        if (open >= MOST_OPEN) {
            throw new StoreException.InvalidArgument(
                    "The bucket %s has %,d open multipart uploads on this target, which is the most: complete or abort some"
                            .formatted(bucket.name(), open));
        }
    }

    /// ListMultipartUploads, by key and then by id.
    ///
    /// @param keyMarker keys greater than it are listed, and of that very key the uploads with a greater id than
    ///     `idMarker` when that is given
    public List<UploadState> listUploads(long bucketId, String prefix, String keyMarker, String idMarker, int limit) {
        var from = from(bucketId, prefix, keyMarker, idMarker);
        var all = new ArrayList<UploadState>();
        for (var drive : drives.allToRead()) {
            all.addAll(drive.call(() -> drive.uploads().list(bucketId, prefix, from, limit)));
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
        return first(bucket, key, drive -> drive.uploads().completed(uploadId, bucket, key));
    }

    /// Reads a part's bytes, unverified, from an offset in it.
    public void readPart(UploadState upload, Part part, long offset, ByteBuffer into) {
        var drive = home(upload.bucket(), upload.key(), upload.uploadId());
        drive.call(() -> {
            drive.uploads().readPart(upload, part, offset, into);
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
        adopting.accept(bucket);
        Drive drive;
        try {
            drive = homeToChange(bucket, key, uploadId);
        } catch (StoreException.NoSuchUpload ended) {
            return completed(bucket, key, uploadId).orElseThrow(() -> ended);
        }
        var uploads = drive.uploads();
        var placement = placement(drive, uploadId);
        var lock = placement.ending().writeLock();
        lock.lock();
        try {
            var before = drive.call(() -> uploads.completed(uploadId, bucket, key));
            if (before.isPresent()) {
                running.remove(uploadId);
                return before.get();
            }
            var name = new Ending.Name(bucket, key, uploadId);
            ObjectRecord record;
            try (var ending = new Ending(drive, name, list, checksums, versions, durability, placement.ends());
                    var serving = writers.apply(bucket).serving(bucket, key)) {
                record = put(ending, serving, check, durability, placement);
            }
            running.remove(uploadId);
            Await.whole(drive.startStep(() -> drive.uploads().throwAway(uploadId)));
            return record;
        } catch (StoreException.NoSuchUpload ended) {
            running.remove(uploadId);
            throw ended;
        } finally {
            lock.unlock();
        }
    }

    private static ObjectRecord put(
            Ending ending, SlotWriter.Serving serving, WriteCheck check, Durability durability, PartLayout placement) {
        try {
            return serving.put(ending, check, durability);
        } finally {
            if (!ending.isHandedOver()) {
                placement.goesOn();
            }
        }
    }

    /// Says of an upload whether a Complete may have written it to the cloud. Durable when it returns.
    public void mark(BucketRef bucket, String key, String uploadId, Optional<UploadState.Completing> completing) {
        whileItIsThere(bucket, key, uploadId, (drive, upload) -> {
            var uploads = drive.uploads();
            drive.commit(drive.call(() -> uploads.rewrite(upload.with(completing))));
        });
    }

    /// AbortMultipartUpload.
    public void abort(BucketRef bucket, String key, String uploadId) {
        whileItIsThere(bucket, key, uploadId, (drive, upload) -> {
            drive.commit(DriveUploads.ending(upload));
            running.remove(uploadId);
            Await.whole(drive.startStep(() -> drive.uploads().throwAway(uploadId)));
        });
    }

    private interface Change {
        void make(Drive drive, UploadState upload);
    }

    /// Changes an upload that has not ended while no part is entered.
    private void whileItIsThere(BucketRef bucket, String key, String uploadId, Change change) {
        var drive = homeToChange(bucket, key, uploadId);
        var lock = placement(drive, uploadId).ending().writeLock();
        lock.lock();
        try {
            change.make(drive, require(bucket, key, uploadId));
        } catch (StoreException.NoSuchUpload ended) {
            running.remove(uploadId);
            throw ended;
        } finally {
            lock.unlock();
        }
    }

    /// Forgets old results, and uploads that were begun long ago, on the drives that serve. To be called now and then.
    public void expire(Instant completedBefore, Instant begunBefore) {
        running.values().removeIf(each -> !each.drive.ready());
        for (var drive : drives.serving()) {
            var uploads = drive.uploads();
            var old = new HashMap<String, UploadState>();
            var forgotten = drive.call(() -> {
                for (var upload : uploads.begunBefore(begunBefore.toEpochMilli())) {
                    old.put(upload.uploadId(), upload);
                }
                return uploads.forgetCompleted(completedBefore.toEpochMilli());
            });
            forgotten.ifPresent(drive::commit);
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
