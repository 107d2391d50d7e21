package dev.sluice.targetnode.storage.multipart;

import dev.sluice.common.checksum.BlockSummer;
import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.drive.Contents;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.Layout;
import dev.sluice.targetnode.storage.files.DriveFile;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.Table;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/// A part that is being written, by one virtual thread. It counts from [#commit] on; a part of the same number that
/// was there before counts until then.
public final class PartUpload implements AutoCloseable {
    private final Drive drive;
    private final Uploads uploads;
    private final Placement placement;
    private final UploadState upload;
    private final int number;
    private final long expected;
    private final boolean durable;
    private final String name;
    private final long offset;
    private final BlockSummer summer = new BlockSummer();
    private Optional<DriveFile> file = Optional.empty();
    private long written;
    private boolean ended;

    PartUpload(
            Drive drive,
            Uploads uploads,
            Placement placement,
            UploadState upload,
            int number,
            long expected,
            boolean durable,
            String apart) {
        this.drive = drive;
        this.uploads = uploads;
        this.placement = placement;
        this.upload = upload;
        this.number = number;
        this.expected = expected;
        this.durable = durable;
        long place = placement.place(number, expected);
        this.name = place >= 0 ? Part.SHARED : apart;
        this.offset = Math.max(0, place);
    }

    public void write(ByteBuffer bytes) {
        Drive.awaited(writing(bytes));
    }

    /// Appends without waiting. One at a time; the bytes must stay as they are until it completes.
    public CompletableFuture<Void> writing(ByteBuffer bytes) {
        long at = written;
        written += bytes.remaining();
        if (expected >= 0 && written > expected) {
            throw new StoreException.InvalidArgument("More than the announced " + expected + " bytes were sent");
        }
        if (expected < 0) {
            drive.space().take(bytes.remaining());
        }
        return drive.startStep(() -> {
            summer.update(at, bytes);
            file().write(offset + at, bytes);
        });
    }

    /// The sums of the bytes.
    ///
    /// @param size how many were written, all of them
    public BlockSums sums(long size) {
        return summer.finish(size);
    }

    private String path() {
        return UploadKeys.folder(upload.uploadId()) + "/" + name;
    }

    private DriveFile file() throws IOException {
        if (file.isEmpty()) {
            file = Optional.of(opened());
        }
        return file.get();
    }

    /// Parts that share a file may all be the first.
    private DriveFile opened() throws IOException {
        synchronized (placement) {
            var files = drive.contents().files();
            files.createFolders(UploadKeys.folder(upload.uploadId()));
            try {
                return files.edit(path());
            } catch (NoSuchFileException _) {
                return files.create(path());
            }
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
        var part = drive.call(() -> {
            var target = file();
            if (durable) {
                target.sync();
            }
            return new Part(
                    number,
                    written,
                    etag,
                    Map.copyOf(checksums),
                    System.currentTimeMillis(),
                    name,
                    offset,
                    summer.finish(written));
        });
        placement.ending().readLock().lock();
        try {
            var replaced = drive.call(() -> {
                uploads.require(upload.bucket(), upload.key(), upload.uploadId());
                return uploads.parts(upload.uploadId(), number - 1, 1).stream()
                        .filter(old -> old.number() == number && !old.isInPlace())
                        .findFirst();
            });
            var batch = new IndexBatch().put(Table.PARTS, UploadKeys.part(upload.uploadId(), number), part.encode());
            drive.commit(Contents.prepareIndex(
                    batch, Set.of(UploadKeys.folder(upload.uploadId()), Layout.UPLOADS), durable));
            end();
            if (replaced.isPresent() && !replaced.get().file().equals(name)) {
                var old = UploadKeys.folder(upload.uploadId()) + "/"
                        + replaced.get().file();
                drive.call(() -> drive.contents().files().delete(old));
            }
        } finally {
            placement.ending().readLock().unlock();
        }
        return part;
    }

    private void end() {
        ended = true;
        file.ifPresent(drive::closeLater);
    }

    /// Gives up what was not committed.
    @Override
    public void close() {
        if (ended) {
            return;
        }
        end();
        if (name.equals(Part.SHARED)) {
            placement.free(number);
        } else if (file.isPresent()) {
            drive.call(() -> drive.contents().files().delete(path()));
        }
    }
}
