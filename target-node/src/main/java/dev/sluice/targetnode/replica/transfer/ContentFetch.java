package dev.sluice.targetnode.replica.transfer;

import dev.sluice.common.checksum.BlockSummer;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.Prepared;
import dev.sluice.targetnode.storage.files.DriveFile;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Optional;

/// Takes an object's bytes from another replica into a staging file on a drive of this target, each block compared with
/// the record. Nothing remains of it unless [#prepared] was called. For one virtual thread.
final class ContentFetch implements AutoCloseable {
    /// Of the bytes that come. It is on the drive before the next is read.
    private static final int PIECE = 256 << 10;

    private static final int READ = 16 << 10;

    private final Drive drive;
    private final BucketRef bucket;
    private final String work;
    private final boolean durable;
    private final BlockSummer summer = new BlockSummer();
    private Optional<ObjectRecord> record = Optional.empty();
    private long size;
    private Optional<DriveFile> file = Optional.empty();
    private Optional<byte[]> small = Optional.empty();
    private boolean handedOver;

    /// @param work a path for a staging file that nothing else has
    ContentFetch(Drive drive, BucketRef bucket, String work, boolean durable) {
        this.drive = drive;
        this.bucket = bucket;
        this.work = work;
        this.durable = durable;
    }

    /// Of an object whose bytes came with the message.
    ///
    /// @throws dev.sluice.common.store.StoreException.NoSpace when the drive has no room for it
    void take(byte[] content, ObjectRecord its) {
        drive.space().requireFitsReplica(content.length);
        drive.space().take(content.length);
        size = content.length;
        summer.update(0, ByteBuffer.wrap(content));
        small = Optional.of(content);
        require(its);
    }

    /// @param smallLimit up to which size the bytes go into the intent
    void take(InputStream body, ObjectRecord its, int smallLimit) throws IOException {
        if (its.fileSize() <= smallLimit) {
            take(exactly(body, (int) its.fileSize()), its);
            return;
        }
        drive.space().requireFitsReplica(its.fileSize());
        takeUnverified(body, its.fileSize());
        require(its);
    }

    /// Of an object whose record is not known yet: [#isOf] is to be asked.
    void takeUnverified(InputStream body, long length) throws IOException {
        drive.requireRoom();
        size = length;
        var opened = drive.call(() -> drive.store().stage(work));
        file = Optional.of(opened);
        var piece = ByteBuffer.allocateDirect((int) Math.min(PIECE, length));
        for (long offset = 0; offset < length; offset += PIECE) {
            int count = (int) Math.min(PIECE, length - offset);
            piece.clear();
            fill(piece.limit(count), body);
            long at = offset;
            drive.space().take(count);
            Await.whole(drive.startWriting(count, () -> {
                summer.update(at, piece);
                opened.write(at, piece);
                if (durable) {
                    opened.beginSyncBehind(at, count);
                }
            }));
        }
    }

    private static void fill(ByteBuffer piece, InputStream body) throws IOException {
        var some = new byte[Math.min(piece.remaining(), READ)];
        while (piece.hasRemaining()) {
            int count = body.read(some, 0, Math.min(some.length, piece.remaining()));
            if (count < 0) {
                throw new EOFException("the source broke off");
            }
            piece.put(some, 0, count);
        }
        piece.flip();
    }

    /// Whether these are the bytes of an object. It is that one's from then on.
    boolean isOf(ObjectRecord its) {
        if (size != its.fileSize() || !summer.finish(size).equals(its.fileSums())) {
            return false;
        }
        record = Optional.of(its);
        return true;
    }

    private static byte[] exactly(InputStream body, int length) throws IOException {
        var bytes = body.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException("the source broke off");
        }
        return bytes;
    }

    private void require(ObjectRecord its) {
        if (!isOf(its)) {
            throw new StoreException.Damaged("'%s' came with other bytes than its record tells".formatted(its.key()));
        }
    }

    /// The change that makes it the object: the staging file is the drive's from here on. On the drive's threads: it
    /// must not wait for another call of the drive, which may have no other thread.
    Prepared prepared() throws IOException {
        var its = record.orElseThrow();
        var with = drive.accessTimes().stored(its);
        if (small.isPresent() && durable) {
            var change = Prepared.smallPut(bucket, work, its, small.get(), with);
            if (change.isPresent()) {
                handedOver = true;
                return change.get();
            }
        }
        if (file.isEmpty()) {
            file = Optional.of(drive.store().stage(work));
            file.get().write(0, ByteBuffer.wrap(small.orElseThrow()));
        }
        var change = drive.store().preparePut(bucket, work, file.get(), its, with, durable);
        handedOver = true;
        return change;
    }

    /// The change was not made.
    void discard() {
        var _ = drive.startStep(() -> drive.store().discard(work));
    }

    /// Waits for nothing: it may be on the drive's threads, too.
    @Override
    public void close() {
        file.ifPresent(drive::closeLater);
        if (!handedOver && file.isPresent()) {
            discard();
        }
    }
}
