package dev.sluice.targetnode.storage.multipart;

import dev.sluice.common.checksum.BlockSummer;
import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.Versions;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.files.DriveFile;
import dev.sluice.targetnode.storage.record.Part;
import dev.sluice.targetnode.storage.space.RoomSteps;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/// A part that is being written, by one thread at a time. It counts from [#commit] on; a part of the same number that
/// was there before counts until then.
public final class PartUpload implements AutoCloseable {
    private final OpenUpload open;
    private final Drive drive;
    private final int number;
    private final long expected;
    private final boolean durable;
    private final Versions versions;
    private final String name;
    private final long offset;
    private final RoomSteps room;
    private final BlockSummer summer = new BlockSummer();
    private Optional<DriveFile> file = Optional.empty();
    private long written;
    private boolean ended;

    PartUpload(OpenUpload open, int number, long expected, boolean durable, Versions versions) {
        this.open = open;
        this.drive = open.drive();
        this.number = number;
        this.expected = expected;
        this.durable = durable;
        this.versions = versions;
        this.room = new RoomSteps(expected, (from, to) -> drive.space().take(to - from));
        long place = open.layout().place(number, expected);
        this.name = place >= 0 ? Part.SHARED : Part.apart(number, versions.next());
        this.offset = Math.max(0, place);
    }

    /// Takes room for bytes that are to be appended next; waits a little for it.
    ///
    /// @throws StoreException.NoSpace when there is none
    public void takeRoom(long bytes) {
        room.come(bytes);
    }

    public void write(ByteBuffer bytes) {
        takeRoom(bytes.remaining());
        Await.whole(writing(bytes));
    }

    /// Appends bytes that have their room, without waiting. One at a time; the bytes must stay as they are until
    /// it completes.
    public CompletableFuture<Void> writing(ByteBuffer bytes) {
        long at = written;
        written += bytes.remaining();
        if (expected >= 0 && written > expected) {
            throw new StoreException.InvalidArgument("More than the announced " + expected + " bytes were sent");
        }
        return drive.startWriting(bytes.remaining(), () -> {
            summer.update(at, bytes);
            int length = bytes.remaining();
            file().write(offset + at, bytes);
            if (durable) {
                file().beginSyncBehind(offset + at, length);
            }
        });
    }

    /// The sums of the bytes.
    ///
    /// @param size how many were written, all of them
    public BlockSums sums(long size) {
        return summer.finish(size);
    }

    private DriveFile file() throws IOException {
        if (file.isEmpty()) {
            file = Optional.of(opened());
        }
        return file.get();
    }

    /// Parts that share a file may all be the first.
    private DriveFile opened() throws IOException {
        synchronized (open) {
            return open.uploads().openPart(open.upload(), name);
        }
    }

    /// Enters the part, and waits until it is durable.
    ///
    /// @param etag the MD5 of its bytes in hex
    /// @throws StoreException.NoSuchUpload when the upload has ended meanwhile
    public Part commit(String etag, Map<ChecksumAlgorithm, String> checksums) {
        if (expected >= 0 && written != expected) {
            throw new StoreException.IncompleteBody(written + " of " + expected + " bytes were sent");
        }
        try (var _ = open.entering()) {
            open.requireThere();
            var replaced = drive.call(() -> open.uploads().part(open.upload().uploadId(), number));
            var part = drive.call(() -> new Part(
                    number,
                    written,
                    etag,
                    Map.copyOf(checksums),
                    System.currentTimeMillis(),
                    name,
                    offset,
                    summer.finish(written)));
            var change =
                    drive.call(() -> open.uploads().preparePart(open.upload(), part, versions.next(), file(), durable));
            end(); // from here on its files are the upload's: the index may name them
            drive.commit(change);
            if (replaced.isPresent() && !replaced.get().recordFile().equals(part.recordFile())) {
                forget(replaced.get().recordFile());
            }
            open.requireHere();
            return part;
        }
    }

    private void forget(String recordFile) {
        boolean _ = drive.call(() -> open.uploads().forget(open.upload(), recordFile));
    }

    private void end() {
        ended = true;
        file.ifPresent(drive::closeLater);
        if (name.equals(Part.SHARED)) {
            open.layout().left();
        }
    }

    /// Gives up what was not committed.
    @Override
    public void close() {
        if (ended) {
            return;
        }
        end();
        if (file.isPresent()) {
            forget(Part.recordFile(number, name));
        }
        if (name.equals(Part.SHARED)) {
            open.layout().free(number);
        }
    }
}
