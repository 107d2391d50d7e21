package dev.sluice.targetnode.replica;

import dev.sluice.common.http.ByteSink;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.Found;
import dev.sluice.targetnode.storage.files.DriveFile;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/// Gives an object of one of this target's drives to another replica: its record, then its bytes. They are not verified
/// here: whoever takes them compares them with the record.
final class ContentSource {
    /// Says how long the record is that the body begins with; without it there is no object.
    static final String RECORD_HEADER = "x-sluice-record-length";

    private static final int PIECE = 1 << 20;

    private ContentSource() {}

    /// What the drive has committed for a key; an answer without a record when it has nothing.
    static Response committed(Drive drive, BucketRef bucket, String key) {
        return switch (drive.call(() -> drive.contents().find(bucket, key))) {
            case Found.Absent() -> Response.empty(200);
            case Found.Damaged(var why) -> throw new StoreException.Damaged(why);
            case Found.Present(var record, var file) -> of(drive, record, file);
        };
    }

    /// The staging file of a write that is not decided.
    static Response staged(Drive drive, ObjectRecord record, String work) {
        return of(drive, record, drive.call(() -> drive.contents().files().open(work)));
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

    private static Response of(Drive drive, ObjectRecord record, DriveFile file) {
        var head = RecordBytes.encode(record);
        return answer(head, new ResponseBody.Streamed(head.length + record.size(), sink -> {
            try {
                sink.write(ByteBuffer.wrap(head));
                send(drive, record.size(), file, sink);
            } finally {
                drive.closeLater(file);
            }
        }));
    }

    private static void send(Drive drive, long size, DriveFile file, ByteSink sink) throws IOException {
        var piece = ByteBuffer.allocate(PIECE);
        for (long offset = 0; offset < size; offset += PIECE) {
            long at = offset;
            piece.clear().limit((int) Math.min(PIECE, size - offset));
            try {
                var _ = drive.call(() -> {
                    file.read(at, piece);
                    return Optional.empty();
                });
            } catch (UncheckedIOException e) {
                throw e.getCause();
            }
            if (piece.hasRemaining()) {
                throw new IOException("the file is shorter than its record tells");
            }
            sink.write(piece.flip());
        }
    }

    private static Response answer(byte[] head, ResponseBody body) {
        return new Response(
                200,
                Headers.of(RECORD_HEADER, Integer.toString(head.length), "Content-Type", "application/octet-stream"),
                body);
    }
}
