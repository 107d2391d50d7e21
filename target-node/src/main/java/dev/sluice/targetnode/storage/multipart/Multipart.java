package dev.sluice.targetnode.storage.multipart;

import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.s3.S3Request.CompletedPart;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.CommitTerms;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.change.Versions;
import dev.sluice.targetnode.storage.change.WriteCheck;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.DriveUploads;
import dev.sluice.targetnode.storage.drive.Layout;
import dev.sluice.targetnode.storage.health.Drives;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.Part;
import dev.sluice.targetnode.storage.record.UploadState;
import dev.sluice.targetnode.storage.slots.CommitExtras;
import dev.sluice.targetnode.storage.slots.Lookup;
import dev.sluice.targetnode.storage.slots.SlotWriter;
import dev.sluice.targetnode.storage.slots.UploadHome;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Multipart uploads of one target. An upload lives on one drive, the first of its key when it was begun, survives
/// restarts, and becomes the object in one commit, in as many copies as the bucket is to have. All of it
/// blocks: for virtual threads.
public final class Multipart {
    private static final Logger LOG = LoggerFactory.getLogger(Multipart.class);

    static final int LAST_NUMBER = 10_000;

    /// How long a Complete waits for another one of the same upload.
    private static final Duration FOR_ANOTHER = Duration.ofMinutes(10);

    /// Of a bucket.
    public static final int MOST_OPEN = 10_000;

    private final Drives drives;
    private final Versions versions;
    private final Function<BucketRef, SlotWriter> writers;
    private final Consumer<BucketRef> adopting;
    private final Dividing dividing;
    private final ConcurrentHashMap<Id, OpenUpload> running = new ConcurrentHashMap<>();

    /// @param adopting told of each bucket before its number of copies counts
    public Multipart(
            Drives drives,
            Versions versions,
            Function<BucketRef, SlotWriter> writers,
            Consumer<BucketRef> adopting,
            Dividing dividing) {
        this.drives = drives;
        this.versions = versions;
        this.writers = writers;
        this.adopting = adopting;
        this.dividing = dividing;
    }

    /// Makes an object of bytes that are read.
    public interface Dividing {
        /// @param bytes hands them to the one who asks, one after the other
        ObjectRecord put(
                BucketRef bucket,
                UploadState upload,
                long size,
                Consumer<Consumer<ByteBuffer>> bytes,
                CommitTerms terms,
                CommitExtras extras,
                Committing committing);
    }

    /// What goes on around the commit alone, while that runs.
    public interface Committing {
        ObjectRecord run(Supplier<ObjectRecord> commit);
    }

    private record Id(long bucketId, String key, String uploadId) {}

    /// An upload as a request names it.
    private record Name(BucketRef bucket, String key, String uploadId) {
        static Name of(UploadState upload) {
            return new Name(upload.bucket(), upload.key(), upload.uploadId());
        }

        Id id() {
            return new Id(bucket.id(), key, uploadId);
        }

        StoreException missing() {
            return new StoreException.NoSuchUpload(uploadId);
        }
    }

    // ---- where an upload is

    private SlotWriter.Serving serving(BucketRef bucket, String key) {
        return writers.apply(bucket).serving(bucket, key);
    }

    /// @throws StoreException.Unavailable when this target may not answer for the key now
    private Optional<UploadHome> home(BucketRef bucket, String key) {
        try (var serving = serving(bucket, key)) {
            return serving.uploads();
        }
    }

    private interface Work<T> {
        T on(Drive drive);
    }

    /// Does work on the drive that has the upload, and answers if that is its home before and after.
    ///
    /// @throws StoreException.NoSuchUpload when there is none, or it is over
    private <T> T with(Name upload, Work<T> work) {
        var home = home(upload.bucket, upload.key);
        try {
            var result = work.on(drive(upload, home));
            requireHome(upload, home);
            return result;
        } catch (StoreException.NoSuchUpload none) {
            var _ = home(upload.bucket, upload.key); // else nobody may say so
            throw none;
        }
    }

    private void requireHome(Name upload, Optional<UploadHome> home) {
        var now = home(upload.bucket, upload.key);
        if (home.isPresent() && !now.filter(home.get()::isSame).isPresent()) {
            throw upload.missing();
        }
    }

    private Drive drive(Name upload, Optional<UploadHome> home) {
        if (home.isPresent()) {
            var drive = home.get().drive();
            var found = drive.call(() -> require(drive, upload));
            if (found.home() != home.get().since()) {
                throw upload.missing();
            }
            return drive;
        }
        var known = running.get(upload.id());
        if (known != null && known.drive().ready()) {
            return known.drive();
        }
        return first(
                        upload.bucket,
                        upload.key,
                        drive -> drive.uploads().has(upload.bucket, upload.key, upload.uploadId)
                                ? Optional.of(drive)
                                : Optional.<Drive>empty())
                .orElseThrow(upload::missing);
    }

    private static UploadState require(Drive drive, Name upload) throws IOException {
        return drive.uploads().require(upload.bucket, upload.key, upload.uploadId);
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

    private static void requireWrites(Drive drive) {
        if (!drive.serves()) {
            throw new StoreException.Unavailable("drive " + drive.id() + " takes no writes now");
        }
    }

    /// What this process knows of an upload that it changes.
    private OpenUpload open(Drive drive, Name upload) {
        requireWrites(drive);
        var known = running.get(upload.id());
        if (known != null && known.drive() == drive) {
            return known;
        }
        var state = drive.call(() -> require(drive, upload));
        var layout = new PartLayout(drive.call(() -> drive.uploads().parts(upload.uploadId, 0, LAST_NUMBER)));
        var found = new OpenUpload(drive, state, layout, () -> home(upload.bucket, upload.key));
        return running.compute(upload.id(), (_, before) -> before != null && before.drive() == drive ? before : found);
    }

    // ---- requests

    /// CreateMultipartUpload, of another upload than all before.
    public UploadState create(
            BucketRef bucket,
            String key,
            SortedMap<String, String> headers,
            SortedMap<String, String> userMetadata,
            Optional<String> checksumAlgorithm,
            boolean fullObjectChecksum) {
        requireFew(bucket);
        var home = home(bucket, key);
        var upload = new UploadState(
                bucket,
                key,
                UUID.randomUUID().toString().replace("-", ""),
                System.currentTimeMillis(),
                headers,
                userMetadata,
                checksumAlgorithm,
                fullObjectChecksum,
                home.map(UploadHome::since).orElse(0L),
                Optional.empty());
        try (var _ = drives.changing()) {
            var drive = home.map(UploadHome::drive)
                    .orElseGet(() -> drives.of(bucket, key).toWrite().getFirst());
            requireWrites(drive);
            drive.space().take(0);
            drive.commit(drive.call(() -> drive.uploads().prepare(upload)));
        }
        if (!home(bucket, key).equals(home)) {
            throw new StoreException.Unavailable("the key's primary changed while the upload was begun; try again");
        }
        return upload;
    }

    /// What CreateMultipartUpload was given.
    public UploadState require(BucketRef bucket, String key, String uploadId) {
        var upload = new Name(bucket, key, uploadId);
        return with(upload, drive -> drive.call(() -> require(drive, upload)));
    }

    /// UploadPart: begins a part, to be ended by commit or close.
    ///
    /// @param expectedLength -1 when it is not known
    public PartUpload part(
            BucketRef bucket, String key, String uploadId, int number, long expectedLength, Durability durability) {
        if (number < 1 || number > LAST_NUMBER) {
            throw new StoreException.InvalidArgument(
                    "partNumber", Integer.toString(number), "Part number must be between 1 and " + LAST_NUMBER);
        }
        var upload = new Name(bucket, key, uploadId);
        var open = with(upload, drive -> {
            var found = open(drive, upload);
            found.requireThere();
            return found;
        });
        open.drive().space().requireFits(Math.max(0, expectedLength));
        return new PartUpload(open, number, expectedLength, durability == Durability.FSYNC, versions);
    }

    /// ListParts: parts with a greater number.
    public List<Part> listParts(BucketRef bucket, String key, String uploadId, int after, int limit) {
        var upload = new Name(bucket, key, uploadId);
        return with(
                upload,
                drive -> drive.call(() -> {
                    var _ = require(drive, upload);
                    return drive.uploads().parts(uploadId, after, limit);
                }));
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
    public UploadList listUploads(BucketRef bucket, String prefix, String keyMarker, String idMarker, int limit) {
        return UploadList.of(writers.apply(bucket), bucket.id(), prefix, keyMarker, idMarker, limit);
    }

    /// What became of an upload that was completed: the object says it as long as it is there, and its home for a day.
    public Optional<ObjectRecord> completed(BucketRef bucket, String key, String uploadId) {
        try (var serving = serving(bucket, key)) {
            var object = object(serving, uploadId);
            var found = object.isPresent() ? object : remembered(serving.uploads(), bucket, key, uploadId);
            if (found.isPresent()) {
                serving.requireInSync();
            }
            return found;
        }
    }

    private static Optional<ObjectRecord> object(SlotWriter.Serving serving, String uploadId) {
        var found = serving.look(Set.of());
        if (found instanceof Lookup.Damaged && serving.restore()) {
            found = serving.look(Set.of());
        }
        return switch (found) {
            case Lookup.Hit(var object) -> {
                try (object) {
                    var record = object.record();
                    yield record.parts()
                                    .filter(parts -> parts.uploadId().equals(uploadId))
                                    .isPresent()
                            ? Optional.of(record)
                            : Optional.empty();
                }
            }
            case Lookup.Unknown(var why) -> throw new StoreException.Unavailable(why);
            case Lookup.Damaged _, Lookup.Miss _ -> Optional.empty();
        };
    }

    private Optional<ObjectRecord> remembered(
            Optional<UploadHome> home, BucketRef bucket, String key, String uploadId) {
        if (home.isEmpty()) {
            return first(bucket, key, drive -> drive.uploads().completed(uploadId, bucket, key));
        }
        var drive = home.get().drive();
        return drive.call(() -> drive.uploads().completed(uploadId, bucket, key));
    }

    /// Reads a part's bytes, unverified, from an offset in it.
    public void readPart(UploadState upload, Part part, long offset, ByteBuffer into) {
        var drive = drive(new Name(upload.bucket(), upload.key(), upload.uploadId()), Optional.empty());
        var _ = drive.patiently(() -> drive.start(() -> {
            drive.uploads().readPart(upload, part, offset, into);
            return into;
        }));
    }

    /// CompleteMultipartUpload: makes the object of the parts. Done again with an upload that is completed already,
    /// it gives the same result.
    ///
    /// @param checksums of the whole object, to keep
    /// @param check judged like that of any other write
    /// @param committing may refuse it
    /// @return the record; its ETag is the MD5 of the parts' MD5s and their number
    public ObjectRecord complete(
            BucketRef bucket,
            String key,
            String uploadId,
            List<CompletedPart> list,
            Map<ChecksumAlgorithm, String> checksums,
            WriteCheck check,
            Durability durability,
            Committing committing) {
        adopting.accept(bucket);
        var upload = new Name(bucket, key, uploadId);
        try {
            var open = with(upload, drive -> open(drive, upload));
            var hold = open.completing(FOR_ANOTHER);
            boolean held = true;
            try {
                open.requireThere();
                held = false; // from here on it is the ending's
                if (bucket.code().isPresent()) {
                    return divided(open, hold, bucket, list, checksums, check, committing);
                }
                var spare = Layout.work(versions.next());
                var ending = Ending.gather(open, list, checksums, spare, durability == Durability.FSYNC, hold);
                return put(ending, open, bucket, check, durability, committing);
            } finally {
                if (held) {
                    hold.close();
                }
            }
        } catch (StoreException.NoSuchUpload ended) {
            running.remove(upload.id());
            return completed(bucket, key, uploadId).orElseThrow(() -> ended);
        }
    }

    private ObjectRecord divided(
            OpenUpload open,
            OpenUpload.Hold hold,
            BucketRef bucket,
            List<CompletedPart> list,
            Map<ChecksumAlgorithm, String> checksums,
            WriteCheck check,
            Committing committing) {
        var upload = open.upload();
        Optional<DividedParts> divided = Optional.empty();
        ObjectRecord record;
        try {
            var wanted = open.drive()
                    .call(() -> CompletedParts.wanted(list, open.uploads().parts(upload.uploadId(), 0, LAST_NUMBER)));
            var parts = new DividedParts(open, wanted, hold);
            divided = Optional.of(parts);
            record = dividing.put(
                    bucket, upload, parts.size(), parts::each, parts.terms(checksums, check), parts, committing);
        } finally {
            if (divided.filter(DividedParts::hasBegun).isEmpty()) {
                hold.close();
            }
        }
        running.remove(Name.of(upload).id());
        throwAway(open.drive(), upload);
        return record;
    }

    private ObjectRecord put(
            Ending ending,
            OpenUpload open,
            BucketRef bucket,
            WriteCheck check,
            Durability durability,
            Committing committing) {
        var upload = open.upload();
        var begun = new AtomicBoolean();
        ObjectRecord record;
        try (var serving = serving(bucket, upload.key())) {
            open.requireHere(serving.uploads());
            record = committing.run(() -> {
                begun.set(true);
                return serving.put(ending, check, durability);
            });
        } finally {
            if (!begun.get()) {
                ending.decided();
            }
        }
        Await.whole(ending.over());
        running.remove(Name.of(upload).id());
        throwAway(open.drive(), upload);
        return record;
    }

    private static void throwAway(Drive drive, UploadState upload) {
        Await.whole(drive.startStep(() -> drive.uploads().throwAway(upload.uploadId())));
    }

    /// Says of an upload whether a Complete may have written it to the cloud. Durable when it returns.
    public void mark(BucketRef bucket, String key, String uploadId, Optional<UploadState.Completing> completing) {
        alone(
                new Name(bucket, key, uploadId),
                (drive, upload) -> drive.commit(drive.call(() -> drive.uploads().rewrite(upload.with(completing)))));
    }

    /// AbortMultipartUpload, unless a Complete is undecided.
    public void abort(BucketRef bucket, String key, String uploadId) {
        alone(new Name(bucket, key, uploadId), this::end);
    }

    private void end(Drive drive, UploadState upload) {
        drive.commit(DriveUploads.ending(upload));
        running.remove(Name.of(upload).id());
        throwAway(drive, upload);
    }

    private interface Change {
        void make(Drive drive, UploadState upload);
    }

    /// Changes an upload that has not ended while no part is entered, and no Complete is undecided.
    private void alone(Name upload, Change change) {
        try {
            var open = with(upload, drive -> open(drive, upload));
            try (var _ = open.ending()) {
                var drive = open.drive();
                change.make(drive, drive.call(() -> require(drive, upload)));
                open.requireHere();
            }
        } catch (StoreException.NoSuchUpload ended) {
            running.remove(upload.id());
            throw ended;
        }
    }

    /// Forgets old results, and uploads that are over or were begun long ago, on the drives that serve. What cannot be
    /// done now is done the next time. To be called now and then.
    ///
    /// @param isOld of an upload that was not completed; asked on a drive's thread
    public void expire(Instant completedBefore, Predicate<UploadState> isOld) {
        running.values().removeIf(each -> !each.drive().ready() || each.hasEnded());
        for (var drive : drives.serving()) {
            drive.call(() -> drive.uploads().forgetCompleted(completedBefore.toEpochMilli()))
                    .ifPresent(drive::commit);
            drive.call(() -> drive.uploads().all(upload -> isOver(upload, drive)))
                    .forEach(upload -> sweep(upload, drive));
            drive.call(() -> drive.uploads().all(isOld)).forEach(this::abortOld);
        }
    }

    private void abortOld(UploadState upload) {
        try {
            abort(upload.bucket(), upload.key(), upload.uploadId());
        } catch (StoreException.NoSuchUpload _) {
            // it ended by itself meanwhile
        } catch (StoreException.Unavailable notNow) {
            LOG.debug("the old upload {} stays for now: {}", upload.uploadId(), notNow.getMessage());
        }
    }

    private boolean isOver(UploadState upload, Drive drive) {
        return writers.apply(upload.bucket()).isOver(upload, drive.id())
                && !drive.uploads().isEnding(upload);
    }

    /// Nothing can become of it: no part is taken, and no Complete begins.
    private void sweep(UploadState upload, Drive drive) {
        var open = running.get(Name.of(upload).id());
        if (open == null) {
            end(drive, upload);
            return;
        }
        var hold = open.ifFree();
        if (hold.isPresent()) {
            try (var _ = hold.get()) {
                end(drive, upload);
            }
        }
    }
}
