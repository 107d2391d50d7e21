package dev.sluice.targetnode.storage;

import dev.sluice.common.checksum.BlockSummer;
import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.CommitTerms;
import dev.sluice.targetnode.storage.change.KeyCommitter;
import dev.sluice.targetnode.storage.copies.Changes;
import dev.sluice.targetnode.storage.copies.Finder;
import dev.sluice.targetnode.storage.drive.Contents;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.Prepared;
import dev.sluice.targetnode.storage.files.DriveFile;
import dev.sluice.targetnode.storage.health.Drives;
import dev.sluice.targetnode.storage.health.Whereabouts;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.replicas.Replicas;
import dev.sluice.targetnode.storage.replicas.StagedObject;
import dev.sluice.targetnode.storage.space.RoomSteps;
import dev.sluice.targetnode.storage.spread.Spread;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/// An object that is being written, to each drive that it belongs on. Nobody else sees it before [#commit]; without
/// that nothing of it remains. Written by one virtual thread at a time (or several with [#writeAt] in different
/// blocks); read by any number meanwhile.
public final class Upload implements AutoCloseable {
    /// Its file on one drive.
    private static final class Copy {
        private final Drive drive;
        private Optional<DriveFile> file = Optional.empty();

        Copy(Drive drive) {
            this.drive = drive;
        }
    }

    private final Placing placing;
    private final List<Copy> copies;
    private final BucketRef bucket;
    private final String key;
    private final long expected;
    private final boolean durable;
    private final String work;
    private volatile long created = System.currentTimeMillis();
    private final RoomSteps room;
    private final BlockSummer summer = new BlockSummer();
    private final Optional<ByteBuffer> small;
    private final AtomicInteger users = new AtomicInteger(1);
    private volatile long written;
    private boolean ended;
    private volatile boolean handedOver;

    /// Where it goes, and how it becomes the object there.
    interface Placing {
        /// The drives that take its bytes.
        List<Drive> drives();

        ObjectRecord publish(Upload upload, long size, CommitTerms terms);

        /// An upload writes to its drives from here on, until [#ended].
        void begun();

        void ended();
    }

    /// @param work the path of its staging file, which nothing else has
    /// @param inOneStep whether it is so small that it is kept in memory until then; its length is known
    /// @throws StoreException.NoSpace when there is no room to begin with
    Upload(
            Placing placing,
            String work,
            BucketRef bucket,
            String key,
            long expected,
            boolean inOneStep,
            boolean durable) {
        this.placing = placing;
        this.copies = placing.drives().stream().map(Copy::new).toList();
        this.bucket = bucket;
        this.key = key;
        this.expected = expected;
        this.durable = durable;
        this.work = work;
        this.small = inOneStep ? Optional.of(ByteBuffer.allocate((int) expected)) : Optional.empty();
        this.room = new RoomSteps(expected, this::take);
    }

    /// On drives of this target alone.
    static final class Here implements Placing {
        private final KeyCommitter committer;
        private final Drives drives;
        private final Whereabouts where;

        /// @param where its drives take writes
        Here(KeyCommitter committer, Drives drives, Whereabouts where) {
            this.committer = committer;
            this.drives = drives;
            this.where = where;
        }

        @Override
        public List<Drive> drives() {
            return where.toWrite();
        }

        @Override
        public void begun() {
            drives.began(where.spread());
        }

        @Override
        public ObjectRecord publish(Upload upload, long size, CommitTerms terms) {
            return committer.change(
                    upload.bucket, upload.key, () -> upload.prepared(committer, drives, where.spread(), size, terms));
        }

        @Override
        public void ended() {
            drives.ended(where.spread());
        }
    }

    /// On the primary's drive, and from there on the other replicas.
    record Replicated(Replicas replicas, Drive drive) implements Placing {
        @Override
        public List<Drive> drives() {
            return List.of(drive);
        }

        @Override
        public ObjectRecord publish(Upload upload, long size, CommitTerms terms) {
            var term = replicas.serving(upload.bucket.id(), upload.key);
            if (!term.drive().equals(drive)) {
                throw new StoreException.Unavailable("the key's primary changed while its bytes came; try again");
            }
            return term.put(upload.bucket, upload.key, upload.new Staged(drive, size, terms), terms.check());
        }

        @Override
        public void begun() {}

        @Override
        public void ended() {}
    }

    private final class Staged implements StagedObject {
        private final Drive drive;
        private final long size;
        private final CommitTerms terms;

        Staged(Drive drive, long size, CommitTerms terms) {
            this.drive = drive;
            this.size = size;
            this.terms = terms;
        }

        @Override
        public Drive drive() {
            return drive;
        }

        @Override
        public ObjectRecord record(ObjectVersion version) {
            return Upload.this.record(size, terms, version);
        }

        @Override
        public Optional<byte[]> content() {
            return small.map(ByteBuffer::array);
        }

        @Override
        public String work() {
            return work;
        }

        /// Perhaps the client's request has ended without knowing what becomes of it.
        @Override
        public Prepared prepare(ObjectRecord record) throws IOException {
            handOver();
            boolean prepared = false;
            try {
                var only = copies.getFirst();
                var inIntent = smallPut(only, record);
                var change = inIntent.isPresent() ? inIntent.get() : Upload.this.prepare(only, record);
                prepared = true;
                return change;
            } finally {
                if (!prepared) {
                    drive.contents().files().delete(work);
                }
                release();
            }
        }
    }

    private void take(long from, long to) {
        copies.forEach(copy -> copy.drive.space().take(to - from));
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
        Drive.awaited(writing(bytes));
    }

    /// Appends bytes that have their room, without waiting, so that the caller can digest the same bytes meanwhile. One
    /// at a time; the bytes must stay as they are until it completes.
    public CompletableFuture<Void> writing(ByteBuffer bytes) {
        long offset = written;
        int length = bytes.remaining();
        requireAnnounced(offset, length);
        if (small.isPresent()) {
            keep(offset, bytes);
            written = offset + length;
            return CompletableFuture.completedFuture(null);
        }
        return writing(offset, bytes).thenRun(() -> written = offset + length);
    }

    /// Writes somewhere, and waits for the drive. The bytes of each 1 MiB block must come in order.
    public void writeAt(long offset, ByteBuffer bytes) {
        requireAnnounced(offset, bytes.remaining());
        takeRoom(bytes.remaining());
        if (small.isPresent()) {
            keep(offset, bytes);
        } else {
            Drive.awaited(writing(offset, bytes));
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

    private void append(Copy copy, long offset, ByteBuffer bytes) throws IOException {
        int length = bytes.remaining();
        var file = file(copy);
        file.write(offset, bytes);
        if (durable) {
            file.beginSyncBehind(offset, length);
        }
    }

    private synchronized DriveFile file(Copy copy) throws IOException {
        if (ended) {
            throw new IllegalStateException("the upload has ended");
        }
        if (copy.file.isEmpty()) {
            copy.file = Optional.of(copy.drive.contents().files().create(work));
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
    public boolean retain() {
        return users.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
    }

    public void release() {
        if (users.decrementAndGet() == 0) {
            copies.forEach(copy -> opened(copy).ifPresent(copy.drive::closeLater));
        }
    }

    private synchronized Optional<DriveFile> opened(Copy copy) {
        return copy.file;
    }

    /// Reads bytes that were written; for readers that follow the writer. They are not verified yet.
    public void readAt(long offset, ByteBuffer into) {
        if (small.isPresent()) {
            into.put(small.get().slice((int) offset, into.remaining()));
            return;
        }
        var first = copies.getFirst();
        var source = opened(first).orElseThrow(() -> new IllegalStateException("nothing is written yet"));
        first.drive.call(() -> {
            source.read(offset, into);
            return into;
        });
    }

    /// Makes it the object, if the terms' check agrees, and waits until it is durable.
    ///
    /// @param size of all that was written
    public ObjectRecord commit(long size, CommitTerms terms) {
        if (expected >= 0 && size != expected) {
            throw new StoreException.IncompleteBody(size + " of " + expected + " bytes were sent");
        }
        try {
            return placing.publish(this, size, terms);
        } catch (StoreException.NoSuchBucket refused) {
            handedOver = false;
            throw refused;
        } finally {
            if (handedOver) {
                end();
            } else {
                close();
            }
        }
    }

    private KeyCommitter.Ready<ObjectRecord> prepared(
            KeyCommitter committer, Drives drives, Spread spread, long size, CommitTerms terms) {
        var where = drives.of(bucket, key);
        boolean late = !where.spread().equals(spread);
        if (!late && where.isSingle() && copies.size() == 1) {
            return alone(committer, copies.getFirst(), size, terms);
        }
        drives.requireKnown(spread, bucket.id(), key, copies.size());
        var _ = where.toWrite();
        Finder.check(terms.check(), where, bucket, key);
        var record = record(size, terms, committer.versions().next());
        var preparing = copies.stream()
                .map(copy -> smallPut(copy, record)
                        .map(CompletableFuture::completedFuture)
                        .orElseGet(() -> copy.drive.start(() -> prepare(copy, record))))
                .toList();
        var steps = new ArrayList<KeyCommitter.Step>(copies.size());
        for (int i = 0; i < copies.size(); i++) {
            steps.add(new KeyCommitter.Step(copies.get(i).drive, Drive.awaited(preparing.get(i))));
        }
        handedOver = true;
        return new Changes(where, bucket, key, record.version(), durable)
                .put(steps, record)
                .late(late);
    }

    /// On the caller's thread where nothing has to be looked at or written before.
    private KeyCommitter.Ready<ObjectRecord> alone(KeyCommitter committer, Copy only, long size, CommitTerms terms) {
        if (small.isPresent() && durable && !terms.check().asks()) {
            var record = record(size, terms, committer.versions().next());
            var change = smallPut(only, record);
            if (change.isPresent()) {
                return handedOver(only, change.get(), record);
            }
        }
        return only.drive.call(() -> {
            Finder.check(terms.check(), only.drive, bucket, key);
            var record = record(size, terms, committer.versions().next());
            var change = smallPut(only, record);
            return handedOver(only, change.isPresent() ? change.get() : prepare(only, record), record);
        });
    }

    /// From here on the staging file is the drive's: it may be the object already.
    private KeyCommitter.Ready<ObjectRecord> handedOver(Copy only, Prepared change, ObjectRecord record) {
        handedOver = true;
        return new KeyCommitter.Ready<>(only.drive, change, record);
    }

    private Optional<Prepared> smallPut(Copy copy, ObjectRecord record) {
        if (small.isEmpty() || !durable) {
            return Optional.empty();
        }
        return Contents.prepareSmallPut(
                bucket,
                work,
                record,
                small.get().array(),
                copy.drive.accessTimes().stored(record));
    }

    private Prepared prepare(Copy copy, ObjectRecord record) throws IOException {
        var target = file(copy);
        if (small.isPresent()) {
            target.write(0, small.get().duplicate().clear());
        }
        return copy.drive
                .contents()
                .preparePut(
                        bucket, work, target, record, copy.drive.accessTimes().stored(record), durable);
    }

    /// Counts as stored then, in milliseconds since 1970, and not when it was begun.
    public void createdAt(long millis) {
        created = millis;
    }

    public ObjectRecord commit(CommitTerms terms) {
        return commit(written, terms);
    }

    private ObjectRecord record(long size, CommitTerms terms, ObjectVersion version) {
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
                List.of(),
                terms.backendVersion(),
                summer.finish(size));
    }

    /// From here on the staging file is the drive's; it stays open until [#release].
    private synchronized void handOver() {
        if (ended || !retain()) {
            throw new StoreException.Unavailable("the upload has ended");
        }
        handedOver = true;
    }

    private synchronized boolean end() {
        if (ended) {
            return false;
        }
        ended = true;
        placing.ended();
        release();
        return true;
    }

    /// Gives up what was not committed; nothing of it remains.
    @Override
    public void close() {
        if (end() && !handedOver) {
            var gone = copies.stream()
                    .filter(copy -> opened(copy).isPresent())
                    .map(copy -> copy.drive.startStep(
                            () -> copy.drive.contents().files().delete(work)))
                    .toList();
            gone.forEach(Drive::awaited);
        }
    }
}
