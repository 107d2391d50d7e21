package dev.sluice.targetnode.storage;

import dev.sluice.common.checksum.BlockSummer;
import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.erasure.ErasureCode;
import dev.sluice.common.erasure.SliceEncoder;
import dev.sluice.common.erasure.SliceLayout;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.CommitTerms;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.Prepared;
import dev.sluice.targetnode.storage.files.DriveFile;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.FromParts;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.Slice;
import dev.sluice.targetnode.storage.record.SliceOf;
import dev.sluice.targetnode.storage.slots.Arriving;
import dev.sluice.targetnode.storage.slots.CommitExtras;
import dev.sluice.targetnode.storage.slots.SlotWriter;
import dev.sluice.targetnode.storage.slots.Staged;
import dev.sluice.targetnode.storage.space.RoomSteps;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/// An object that is being written, to each drive that it belongs on; where members have slices of it, to one drive in
/// as many files. Nobody else sees it before [#commit]; without that nothing of it remains. Written by one virtual
/// thread at a time (or several with [#writeAt] in different blocks, where it is whole); read by any number meanwhile.
public final class Upload implements Arriving, AutoCloseable {
    /// Larger ones are announced to other replicas while they come.
    private static final long UNANNOUNCED = 256 << 10;

    /// Its file on one drive, or that of one slice.
    private static final class Copy {
        private final Drive drive;
        private final String work;
        private Optional<DriveFile> file = Optional.empty();
        private boolean handedOver;

        Copy(Drive drive, String work) {
            this.drive = drive;
            this.work = work;
        }
    }

    private final SlotWriter.Serving serving;
    private final List<Copy> copies;
    private final BucketRef bucket;
    private final String key;
    private final long expected;
    private final Durability durability;
    private final Optional<ErasureCode> code;
    private final Optional<SliceEncoder> encoder;
    private volatile long created = System.currentTimeMillis();
    private final RoomSteps room;
    private final BlockSummer summer = new BlockSummer();
    private final Optional<ByteBuffer> small;
    private final AtomicInteger users = new AtomicInteger(1);
    private final UploadProgress written = new UploadProgress();
    private final List<ArrivingSlice> slices;
    private volatile long lastTaken = System.nanoTime();
    private volatile Optional<String> arrivingAs = Optional.empty();
    private boolean ended;
    private volatile boolean handedOver;
    private volatile List<CompletableFuture<Void>> leftDeleted = List.of();

    /// @param serving of the key; closed with this
    /// @param work the path of its staging file, which nothing else has
    /// @param inOneStep whether it is so small that it is kept in memory until then; its length is known
    /// @throws StoreException.NoSpace when there is no room to begin with
    Upload(
            SlotWriter.Serving serving,
            String work,
            BucketRef bucket,
            String key,
            long expected,
            boolean inOneStep,
            Durability durability) {
        this.serving = serving;
        this.code = bucket.code();
        this.copies = code.isPresent()
                ? slices(serving.drives().getFirst(), work, code.get())
                : serving.drives().stream().map(drive -> new Copy(drive, work)).toList();
        this.bucket = bucket;
        this.key = key;
        this.expected = expected;
        this.durability = durability;
        this.small = inOneStep ? Optional.of(ByteBuffer.allocate((int) expected)) : Optional.empty();
        this.encoder = inOneStep ? Optional.empty() : code.map(SliceEncoder::new);
        this.room = new RoomSteps(expected, this::take);
        this.slices = encoder.isPresent() && expected >= 0
                ? IntStream.range(0, copies.size()).mapToObj(ArrivingSlice::new).toList()
                : List.of();
    }

    private static List<Copy> slices(Drive drive, String work, ErasureCode code) {
        return IntStream.range(0, code.slices())
                .mapToObj(position -> new Copy(drive, work + "." + position))
                .toList();
    }

    /// How many bytes come to each of the drives when an object of so many is written.
    static long staged(BucketRef bucket, long bytes) {
        return bucket.code().map(code -> new SliceLayout(code, bytes).total()).orElse(bytes);
    }

    /// Other replicas may take the bytes while they come, when these are many enough for that.
    void announce() {
        if (small.isEmpty() && expected > UNANNOUNCED) {
            arrivingAs = serving.arriving(this);
        }
    }

    @Override
    public Optional<Arriving> at(int position) {
        return slices.isEmpty()
                ? Optional.of(this)
                : slices.stream()
                        .skip(position)
                        .findFirst()
                        .filter(slice -> slice.size() > 0)
                        .map(slice -> slice);
    }

    /// One slice of it.
    private final class ArrivingSlice implements Arriving {
        private final int position;
        private final UploadProgress done = new UploadProgress();

        ArrivingSlice(int position) {
            this.position = position;
        }

        @Override
        public long size() {
            return new SliceLayout(code.orElseThrow(), expected).sliceSize(position);
        }

        @Override
        public long awaitBeyond(long offset) throws IOException {
            return done.awaitBeyond(offset);
        }

        @Override
        public boolean retain() {
            return Upload.this.retain();
        }

        @Override
        public void release() {
            Upload.this.release();
        }

        @Override
        public void taken(long now) {
            Upload.this.taken(now);
        }

        @Override
        public void readAt(long offset, ByteBuffer into) {
            Upload.this.readAt(copies.get(position), offset, into);
        }
    }

    @Override
    public long size() {
        return expected;
    }

    @Override
    public void taken(long now) {
        lastTaken = now;
    }

    @Override
    public long awaitBeyond(long position) throws IOException {
        return written.awaitBeyond(position);
    }

    /// What is committed.
    private final class Whole implements Staged {
        private final long size;
        private final CommitTerms terms;
        private final CommitExtras extras;

        /// Of slices that others are to fetch the files stay until that is decided.
        Whole(long size, CommitTerms terms, CommitExtras extras) {
            this.size = size;
            this.terms = terms;
            this.extras = extras;
            if (code.isPresent() && !retain()) {
                throw new StoreException.Unavailable("the upload has ended");
            }
            extras.begun();
        }

        @Override
        public void decided() {
            if (code.isPresent()) {
                release();
            }
            extras.decided();
        }

        private IndexBatch with(Drive drive, ObjectRecord record) {
            return new IndexBatch().addAll(drive.accessTimes().stored(record)).addAll(extras.with(record));
        }

        @Override
        public ObjectRecord record(ObjectVersion version) {
            return Upload.this.record(size, terms, extras.parts(), version);
        }

        @Override
        public Content content(int position) {
            if (code.isPresent() && new SliceLayout(code.get(), size).sliceSize(position) == 0) {
                return new Content.InMemory(new byte[0]);
            }
            var copy = code.isPresent() ? copies.get(position) : copies.getFirst();
            return small.map(ByteBuffer::array)
                    .<Content>map(Content.InMemory::new)
                    .orElseGet(() -> new Content.OnDrive(copy.drive, copy.work));
        }

        @Override
        public Optional<String> arrivedAs() {
            return arrivingAs;
        }

        @Override
        public long lastTaken() {
            return lastTaken;
        }

        @Override
        public Optional<Prepared> atOnce(Drive drive, ObjectRecord record) {
            return isDurable() && content(record.position()) instanceof Content.InMemory few
                    ? Prepared.smallPut(bucket, copyOn(drive, record).work, record, few.bytes(), with(drive, record))
                    : Optional.empty();
        }

        /// Perhaps the client's request has ended without knowing what becomes of it.
        @Override
        public Prepared prepare(Drive drive, ObjectRecord record) throws IOException {
            handOver(copyOn(drive, record));
            try {
                var inIntent = atOnce(drive, record);
                return inIntent.isPresent() ? inIntent.get() : written(drive, record);
            } catch (IOException | RuntimeException failure) {
                delete(copyOn(drive, record), failure);
                throw failure;
            } finally {
                release();
            }
        }

        /// @param failure which counts more than one of the deletion
        private void delete(Copy copy, Exception failure) {
            try {
                copy.drive.store().discard(copy.work);
            } catch (IOException | RuntimeException more) {
                failure.addSuppressed(more);
            }
        }

        private Prepared written(Drive drive, ObjectRecord record) throws IOException {
            var copy = copyOn(drive, record);
            var target = file(copy);
            if (content(record.position()) instanceof Content.InMemory few) {
                target.write(0, ByteBuffer.wrap(few.bytes()));
            }
            return drive.store().preparePut(bucket, copy.work, target, record, with(drive, record), isDurable());
        }

        @Override
        public void drop() {
            takeBack();
        }
    }

    private Copy copyOn(Drive drive, ObjectRecord record) {
        return copies.stream()
                .skip(record.position())
                .filter(copy -> copy.drive.equals(drive))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("the bytes are not on drive " + drive.id()));
    }

    private boolean isDurable() {
        return durability == Durability.FSYNC;
    }

    private void take(long from, long to) {
        long bytes = small.isPresent() ? to - from : staged(bucket, to) - staged(bucket, from);
        copies.stream()
                .map(copy -> copy.drive)
                .distinct()
                .forEach(drive -> drive.space().take(bytes));
    }

    /// Takes room for bytes that are to be appended next; waits a little for it.
    ///
    /// @throws StoreException.NoSpace when there is none
    public void takeRoom(long bytes) {
        room.come(bytes);
    }

    /// Appends, and waits for the drive.
    public void write(ByteBuffer bytes) {
        takeRoom(bytes.remaining());
        Await.whole(writing(bytes));
    }

    /// The same to one drive, of bytes that nobody would bring again alone: where it is busy it is waited for.
    void writePatiently(ByteBuffer bytes) {
        takeRoom(bytes.remaining());
        copies.getFirst().drive.patiently(() -> writing(bytes));
    }

    /// Appends bytes that have their room, without waiting, so that the caller can digest the same bytes meanwhile. One
    /// at a time; the bytes must stay as they are until it completes.
    public CompletableFuture<Void> writing(ByteBuffer bytes) {
        long offset = written.count();
        int length = bytes.remaining();
        requireAnnounced(offset, length);
        if (small.isPresent()) {
            keep(offset, bytes);
            written.wrote(offset + length);
            return CompletableFuture.completedFuture(null);
        }
        return writing(offset, bytes).thenRun(() -> written.wrote(offset + length));
    }

    /// Writes somewhere, and waits for the drive. The bytes of each 1 MiB block must come in order.
    public void writeAt(long offset, ByteBuffer bytes) {
        requireAnnounced(offset, bytes.remaining());
        takeRoom(bytes.remaining());
        if (small.isPresent()) {
            keep(offset, bytes);
        } else {
            Await.whole(writing(offset, bytes));
        }
    }

    private void keep(long offset, ByteBuffer bytes) {
        summer.update(offset, bytes);
        small.orElseThrow().slice((int) offset, bytes.remaining()).put(bytes);
    }

    private void requireAnnounced(long offset, int length) {
        if (expected >= 0 && offset + length > expected) {
            throw new StoreException.InvalidArgument("More than the announced " + expected + " bytes were sent");
        }
    }

    private CompletableFuture<Void> writing(long offset, ByteBuffer bytes) {
        var first = copies.getFirst();
        if (encoder.isPresent()) {
            return first.drive.startWriting(bytes.remaining(), () -> {
                summer.update(offset, bytes);
                encoder.get().add(bytes, this::writeSlice);
            });
        }
        if (copies.size() == 1) {
            return first.drive.startWriting(bytes.remaining(), () -> {
                summer.update(offset, bytes);
                append(first, offset, bytes);
            });
        }
        var steps = new ArrayList<CompletableFuture<Void>>(copies.size());
        for (var copy : copies) {
            var same = bytes.duplicate();
            steps.add(copy.drive.startWriting(bytes.remaining(), () -> {
                if (copy == first) {
                    summer.update(offset, same);
                }
                append(copy, offset, same);
            }));
        }
        return CompletableFuture.allOf(steps.toArray(CompletableFuture[]::new))
                .thenRun(() -> bytes.position(bytes.limit()));
    }

    private void writeSlice(int position, long offset, ByteBuffer bytes) throws IOException {
        var copy = copies.get(position);
        long end = offset + bytes.remaining();
        if (position == serving.position()) {
            append(copy, offset, bytes);
        } else {
            file(copy).write(offset, bytes); // another target syncs that one
        }
        if (!slices.isEmpty()) {
            slices.get(position).done.wrote(end);
        }
    }

    private void append(Copy copy, long offset, ByteBuffer bytes) throws IOException {
        int length = bytes.remaining();
        var file = file(copy);
        file.write(offset, bytes);
        if (isDurable()) {
            file.beginSyncBehind(offset, length);
        }
    }

    private synchronized DriveFile file(Copy copy) throws IOException {
        if (ended) {
            throw new IllegalStateException("the upload has ended");
        }
        if (copy.file.isEmpty()) {
            copy.file = Optional.of(copy.drive.store().stage(copy.work));
        }
        return copy.file.get();
    }

    /// The sums of the bytes.
    ///
    /// @param size how many were written, all of them
    public BlockSums sums(long size) {
        return summer.finish(size);
    }

    /// Keeps the bytes readable beyond the end of the upload, until [#release].
    ///
    /// @return false when it is too late for that
    @Override
    public boolean retain() {
        return users.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
    }

    @Override
    public void release() {
        if (users.decrementAndGet() == 0) {
            copies.forEach(copy -> opened(copy).ifPresent(copy.drive::closeLater));
            if (code.isPresent()) {
                leftDeleted = deleting();
            }
        }
    }

    private synchronized Optional<DriveFile> opened(Copy copy) {
        return copy.file;
    }

    /// Reads bytes that were written; for readers that follow the writer. They are not verified yet.
    @Override
    public void readAt(long offset, ByteBuffer into) {
        if (small.isPresent()) {
            into.put(small.get().slice((int) offset, into.remaining()));
            return;
        }
        readAt(copies.getFirst(), offset, into);
    }

    private void readAt(Copy copy, long offset, ByteBuffer into) {
        var source = opened(copy).orElseThrow(() -> new IllegalStateException("nothing is written yet"));
        copy.drive.call(() -> {
            source.read(offset, into);
            return into;
        });
    }

    /// Makes it the object, if the terms' check agrees, and waits until it is durable.
    ///
    /// @param size of all that was written
    public ObjectRecord commit(long size, CommitTerms terms) {
        return commit(size, terms, CommitExtras.NONE);
    }

    private ObjectRecord commit(long size, CommitTerms terms, CommitExtras extras) {
        if (expected >= 0 && size != expected) {
            throw new StoreException.IncompleteBody(size + " of " + expected + " bytes were sent");
        }
        var first = copies.getFirst().drive;
        encoder.ifPresent(slices -> first.patiently(() -> first.startWriting(0, () -> slices.end(this::writeSlice))));
        try {
            var now = serving.again();
            extras.require(now);
            return now.put(new Whole(size, terms, extras), terms.check(), durability);
        } finally {
            close();
        }
    }

    /// Counts as stored then, in milliseconds since 1970, and not when it was begun.
    public void createdAt(long millis) {
        created = millis;
    }

    public ObjectRecord commit(CommitTerms terms) {
        return commit(written.count(), terms);
    }

    /// @param extras what else belongs to the change
    ObjectRecord commit(CommitTerms terms, CommitExtras extras) {
        return commit(written.count(), terms, extras);
    }

    private ObjectRecord record(long size, CommitTerms terms, Optional<FromParts> parts, ObjectVersion version) {
        var blocks = summer.finish(size);
        return new ObjectRecord(
                bucket.id(),
                key,
                version,
                size,
                created,
                terms.modifiedMillis().orElseGet(System::currentTimeMillis),
                terms.etag(),
                terms.checksums(),
                terms.headers(),
                terms.userMetadata(),
                parts,
                terms.backendVersion(),
                blocks,
                code.map(of -> new SliceOf(of, Slice.NONE)),
                code.map(of -> paritySums(of, blocks)).orElse(BlockSums.of()));
    }

    private BlockSums paritySums(ErasureCode of, BlockSums blocks) {
        return encoder.map(SliceEncoder::paritySums).orElseGet(() -> SliceEncoder.paritySums(of, blocks));
    }

    /// From here on the staging file is the drive's; it stays open until [#release].
    private synchronized void handOver(Copy copy) {
        if (ended || !retain()) {
            throw new StoreException.Unavailable("the upload has ended");
        }
        handedOver = true;
        copy.handedOver = true;
    }

    /// The drives did not take it.
    private void takeBack() {
        synchronized (this) {
            copies.forEach(copy -> copy.handedOver = false);
            if (!ended) {
                handedOver = false; // the end deletes it
                return;
            }
        }
        var _ = deleting();
    }

    private synchronized boolean end() {
        if (ended) {
            return false;
        }
        ended = true;
        written.end();
        slices.forEach(slice -> slice.done.end());
        serving.close();
        release();
        return true;
    }

    /// Gives up what was not committed; nothing of it remains.
    @Override
    public void close() {
        if (end() && !handedOver) {
            (code.isPresent() ? leftDeleted : deleting()).forEach(Await::whole);
        }
    }

    /// Of slices only those that are not the drive's.
    private List<CompletableFuture<Void>> deleting() {
        return copies.stream()
                .filter(copy -> isLeft(copy) && opened(copy).isPresent())
                .map(copy -> copy.drive.startStep(() -> copy.drive.store().discard(copy.work)))
                .toList();
    }

    private synchronized boolean isLeft(Copy copy) {
        return code.isEmpty() || !copy.handedOver;
    }
}
