package dev.sluice.targetnode.replica.transfer;

import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.http.ByteSink;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.replica.loop.RecordBytes;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.Found;
import dev.sluice.targetnode.storage.drive.PreparedObject;
import dev.sluice.targetnode.storage.files.DriveFile;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/// Gives an object of one of this target's drives to another replica: its record, then its bytes. Whoever takes them
/// compares them with the record.
public final class ContentSource {
    /// Says how long the record is that the body begins with; without it there is no object.
    public static final String RECORD_HEADER = "x-sluice-record-length";

    private ContentSource() {}

    /// What the drive has committed for a key; an answer without a record when it has nothing. The answer breaks off
    /// before the first block that is not what was written.
    ///
    /// @param whenDamaged run when that happens; must not block
    /// @throws StoreException.Damaged when that is seen at once
    static Response committed(Drive drive, BucketRef bucket, String key, Runnable whenDamaged) {
        return switch (drive.call(() -> drive.store().find(bucket, key))) {
            case Found.Absent() -> Response.empty(200);
            case Found.Damaged(var why) -> throw new StoreException.Damaged(why);
            case Found.Present(var record, var file) -> of(drive, record, file, Optional.of(whenDamaged));
        };
    }

    /// A version that the drive has committed, or only prepared; an answer without a record when it has neither, or
    /// when what it has is damaged.
    public static Response copy(Drive drive, BucketRef bucket, ObjectKey name, ObjectVersion version) {
        if (drive.call(() -> drive.store().row(name.bucketId(), name.key())).equals(Optional.of(version))) {
            return switch (drive.call(() -> drive.store().find(bucket, name.key()))) {
                case Found.Absent(), Found.Damaged _ -> Response.empty(200);
                case Found.Present(var record, var file) -> of(drive, record, file, Optional.empty());
            };
        }
        return drive.call(() -> drive.store().prepared(name, version))
                .map(prepared -> switch (prepared) {
                    case PreparedObject.InFile(var record, var file) -> of(drive, record, file, Optional.empty());
                    case PreparedObject.InMemory(var record, var content) -> inMemory(record, content);
                })
                .orElseGet(() -> Response.empty(200));
    }

    /// The staging file of a write that is not decided.
    ///
    /// @param sent run for each block that is sent
    public static Response staged(Drive drive, ObjectRecord record, String work, Runnable sent) {
        return of(drive, record, drive.call(() -> drive.store().open(work)), Optional.empty(), sent);
    }

    static Response inMemory(ObjectRecord record, byte[] content) {
        var head = RecordBytes.encode(record);
        return answer(
                head,
                new ResponseBody.Bytes(ByteBuffer.allocate(head.length + content.length)
                        .put(head)
                        .put(content)
                        .flip()));
    }

    private static Response of(Drive drive, ObjectRecord record, DriveFile file, Optional<Runnable> whenDamaged) {
        return of(drive, record, file, whenDamaged, () -> {});
    }

    /// @param whenDamaged empty: what is read is sent
    private static Response of(
            Drive drive, ObjectRecord record, DriveFile file, Optional<Runnable> whenDamaged, Runnable sent) {
        var head = RecordBytes.encode(record);
        return answer(head, new ResponseBody.Streamed(head.length + record.fileSize(), sink -> {
            try {
                sink.write(ByteBuffer.wrap(head));
                send(
                        drive,
                        record,
                        file,
                        bytes -> {
                            sink.write(bytes);
                            sent.run();
                        },
                        whenDamaged);
            } finally {
                drive.closeLater(file);
            }
        }));
    }

    private static void send(
            Drive drive, ObjectRecord record, DriveFile file, ByteSink sink, Optional<Runnable> whenDamaged)
            throws IOException {
        var block = ByteBuffer.allocate(BlockSums.BLOCK);
        var sums = record.fileSums();
        for (int number = 0; number < sums.count(); number++) {
            long at = (long) number * BlockSums.BLOCK;
            block.clear().limit((int) Math.min(BlockSums.BLOCK, record.fileSize() - at));
            try {
                var _ = drive.call(() -> {
                    file.read(at, block);
                    return Optional.empty();
                });
            } catch (UncheckedIOException e) {
                throw e.getCause();
            } catch (StoreException.DriveFailed unreadable) {
                whenDamaged.ifPresent(Runnable::run);
                throw new IOException(unreadable);
            }
            boolean whole = !block.hasRemaining();
            block.flip();
            if (!whole || (whenDamaged.isPresent() && !sums.matches(number, block))) {
                whenDamaged.ifPresent(Runnable::run);
                throw new IOException("'%s' on drive %s is damaged".formatted(record.key(), drive.id()));
            }
            sink.write(block);
        }
    }

    private static Response answer(byte[] head, ResponseBody body) {
        return new Response(
                200,
                Headers.of(RECORD_HEADER, Integer.toString(head.length), "Content-Type", "application/octet-stream"),
                body);
    }
}
