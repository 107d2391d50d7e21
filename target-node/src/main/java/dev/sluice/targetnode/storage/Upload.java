package dev.sluice.targetnode.storage;

import dev.sluice.common.checksum.BlockSummer;
import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.CommitTerms;
import dev.sluice.targetnode.storage.change.Shelf;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.Layout;
import dev.sluice.targetnode.storage.drive.Prepared;
import dev.sluice.targetnode.storage.files.DriveFile;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/// An object that is being written. Nobody else sees it before [#commit]; without that nothing of it remains.
/// Written by one virtual thread at a time (or several with [#writeAt] in different blocks); read by any number
/// meanwhile.
public final class Upload implements AutoCloseable {
    private final Shelf shelf;
    private final Drive drive;
    private final BucketRef bucket;
    private final String key;
    private final long expected;
    private final boolean durable;
    private final String work;
    private final long created = System.currentTimeMillis();
    private final BlockSummer summer = new BlockSummer();
    private final Optional<ByteBuffer> small;
    private final AtomicInteger users = new AtomicInteger(1);
    private Optional<DriveFile> file = Optional.empty();
    private volatile long written;
    private boolean ended;
    private volatile boolean handedOver;

    Upload(Shelf shelf, Drive drive, BucketRef bucket, String key, long expected, int smallLimit, boolean durable) {
        this.shelf = shelf;
        this.drive = drive;
        this.bucket = bucket;
        this.key = key;
        this.expected = expected;
        this.durable = durable;
        this.work = Layout.work(shelf.versions().next());
        this.small = expected >= 0 && expected <= smallLimit
                ? Optional.of(ByteBuffer.allocate((int) expected))
                : Optional.empty();
    }

    /// Appends, and waits for the drive.
    public void write(ByteBuffer bytes) {
        Drive.awaited(writing(bytes));
    }

    /// Appends without waiting, so that the caller can digest the same bytes meanwhile. One at a time; the bytes
    /// must stay as they are until it completes.
    public CompletableFuture<Void> writing(ByteBuffer bytes) {
        long offset = written;
        int length = bytes.remaining();
        requireRoom(offset, length);
        if (small.isPresent()) {
            keep(offset, bytes);
            written = offset + length;
            return CompletableFuture.completedFuture(null);
        }
        return writing(offset, bytes).thenRun(() -> written = offset + length);
    }

    /// Writes somewhere, and waits for the drive. The bytes of each 1 MiB block must come in order.
    public void writeAt(long offset, ByteBuffer bytes) {
        requireRoom(offset, bytes.remaining());
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

    private void requireRoom(long offset, int length) {
        if (expected < 0) {
            drive.space().take(length);
        } else if (offset + length > expected) {
            throw new StoreException.InvalidArgument("More than the announced " + expected + " bytes were sent");
        }
    }

    private CompletableFuture<Void> writing(long offset, ByteBuffer bytes) {
        return drive.startStep(() -> {
            summer.update(offset, bytes);
            file().write(offset, bytes);
        });
    }

    private synchronized DriveFile file() throws IOException {
        if (ended) {
            throw new IllegalStateException("the upload has ended");
        }
        if (file.isEmpty()) {
            file = Optional.of(drive.contents().files().create(work));
        }
        return file.get();
    }

    /// How many bytes from the start can be read by [#readAt]; counts appended ones only.
    public long written() {
        return written;
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
            opened().ifPresent(drive::closeLater);
        }
    }

    private synchronized Optional<DriveFile> opened() {
        return file;
    }

    /// Reads bytes that were written; for readers that follow the writer. They are not verified yet.
    public void readAt(long offset, ByteBuffer into) {
        if (small.isPresent()) {
            into.put(small.get().slice((int) offset, into.remaining()));
            return;
        }
        var source = opened().orElseThrow(() -> new IllegalStateException("nothing is written yet"));
        drive.call(() -> {
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
            return shelf.commit(drive, new ObjectKey(bucket.id(), key), () -> prepared(size, terms));
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

    private Shelf.Ready<ObjectRecord> prepared(long size, CommitTerms terms) throws IOException {
        shelf.check(drive, bucket, key, terms.check());
        var record = record(size, terms);
        var change = prepare(file(), record);
        handedOver = true; // from here on the work file is the drive's: it may be the object already
        return new Shelf.Ready<>(change, record);
    }

    private Prepared prepare(DriveFile target, ObjectRecord record) throws IOException {
        boolean backed = record.backendVersion().isPresent();
        var with = backed ? drive.accessTimes().stored(bucket.id(), key) : new IndexBatch();
        if (small.isPresent()) {
            target.write(0, small.get().duplicate().clear());
            if (durable) {
                return drive.contents()
                        .prepareSmallPut(
                                bucket, work, target, record, small.get().array(), with);
            }
        }
        return drive.contents().preparePut(bucket, work, target, record, with, durable);
    }

    public ObjectRecord commit(CommitTerms terms) {
        return commit(written, terms);
    }

    private ObjectRecord record(long size, CommitTerms terms) {
        return new ObjectRecord(
                bucket.id(),
                key,
                shelf.versions().next(),
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

    private synchronized boolean end() {
        if (ended) {
            return false;
        }
        ended = true;
        release();
        return true;
    }

    /// Gives up what was not committed; nothing of it remains.
    @Override
    public void close() {
        if (end() && opened().isPresent()) {
            drive.call(() -> drive.contents().files().delete(work));
        }
    }
}
