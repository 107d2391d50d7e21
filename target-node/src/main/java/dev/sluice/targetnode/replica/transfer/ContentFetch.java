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
    private static final int PIECE = 1 << 20;

    private final Drive drive;
    private final BucketRef bucket;
    private final ObjectRecord record;
    private final String work;
    private final boolean durable;
    private Optional<DriveFile> file = Optional.empty();
    private Optional<byte[]> small = Optional.empty();
    private boolean handedOver;

    /// @param work a path for a staging file that nothing else has
    ContentFetch(Drive drive, BucketRef bucket, ObjectRecord record, String work, boolean durable) {
        this.drive = drive;
        this.bucket = bucket;
        this.record = record;
        this.work = work;
        this.durable = durable;
    }

    /// Of an object whose bytes came with the message.
    ///
    /// @throws dev.sluice.common.store.StoreException.NoSpace when the drive has no room for it
    void take(byte[] content) {
        drive.space().requireFitsReplica(content.length);
        drive.space().take(content.length);
        var summer = new BlockSummer();
        summer.update(0, ByteBuffer.wrap(content));
        require(content.length == record.size() && summer.finish(content.length).equals(record.blocks()));
        small = Optional.of(content);
    }

    /// @param smallLimit up to which size the bytes go into the intent
    void take(InputStream body, int smallLimit) throws IOException {
        if (record.size() <= smallLimit) {
            take(exactly(body, (int) record.size()));
            return;
        }
        drive.requireRoom();
        drive.space().requireFitsReplica(record.size());
        var summer = new BlockSummer();
        var opened = drive.call(() -> drive.store().stage(work));
        file = Optional.of(opened);
        var piece = ByteBuffer.allocateDirect(PIECE);
        for (long offset = 0; offset < record.size(); offset += PIECE) {
            int length = (int) Math.min(PIECE, record.size() - offset);
            piece.clear().put(exactly(body, length)).flip();
            long at = offset;
            drive.space().take(length);
            Await.whole(drive.startWriting(length, () -> {
                summer.update(at, piece);
                opened.write(at, piece);
                if (durable) {
                    opened.beginSyncBehind(at, length);
                }
            }));
        }
        require(summer.finish(record.size()).equals(record.blocks()));
    }

    private static byte[] exactly(InputStream body, int length) throws IOException {
        var bytes = body.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException("the source broke off");
        }
        return bytes;
    }

    private void require(boolean same) {
        if (!same) {
            throw new StoreException.Damaged(
                    "'%s' came with other bytes than its record tells".formatted(record.key()));
        }
    }

    /// The change that makes it the object: the staging file is the drive's from here on. On the drive's threads: it
    /// must not wait for another call of the drive, which may have no other thread.
    Prepared prepared() throws IOException {
        var with = drive.accessTimes().stored(record);
        if (small.isPresent() && durable) {
            var change = Prepared.smallPut(bucket, work, record, small.get(), with);
            if (change.isPresent()) {
                handedOver = true;
                return change.get();
            }
        }
        if (file.isEmpty()) {
            file = Optional.of(drive.store().stage(work));
            file.get().write(0, ByteBuffer.wrap(small.orElseThrow()));
        }
        var change = drive.store().preparePut(bucket, work, file.get(), record, with, durable);
        handedOver = true;
        return change;
    }

    /// Waits for nothing: it may be on the drive's threads, too.
    @Override
    public void close() {
        file.ifPresent(drive::closeLater);
        if (!handedOver && file.isPresent()) {
            var _ = drive.startStep(() -> drive.store().discard(work));
        }
    }
}
