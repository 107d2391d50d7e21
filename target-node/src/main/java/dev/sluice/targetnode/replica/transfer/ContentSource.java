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
import dev.sluice.targetnode.storage.hotset.StoredObject;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.Slice;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.UnaryOperator;

/// Gives an object of one of this target's drives to another replica: its record, then its bytes. Whoever takes them
/// compares them with the record.
public final class ContentSource {
    /// Says how long the record is that the body begins with; without it there is no object.
    public static final String RECORD_HEADER = "x-sluice-record-length";

    /// Of a slice, which comes without its record.
    public static final String POSITION_HEADER = "x-sluice-slice-position";

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

    /// The record alone, for a learner that is to have another slice.
    static Response record(ObjectRecord record) {
        return inMemory(record.at(Slice.NONE), new byte[0]);
    }

    /// A version that the drive has committed, or only prepared; an answer without a record when it has neither, or
    /// when what it has is damaged.
    public static Response copy(Drive drive, BucketRef bucket, ObjectKey name, ObjectVersion version) {
        return PreparedObject.ofVersion(drive, bucket, name, version)
                .map(prepared -> switch (prepared) {
                    case PreparedObject.InFile(var record, var file) -> of(drive, record, file, Optional.empty());
                    case PreparedObject.InMemory(var record, var content) -> inMemory(record, content);
                })
                .orElseGet(() -> Response.empty(200));
    }

    /// The record of whichever slice the drive has of a version, committed or only prepared.
    static Response recordOf(Drive drive, BucketRef bucket, ObjectKey name, ObjectVersion version) {
        return PreparedObject.ofVersion(drive, bucket, name, version)
                .map(held -> inMemory(held.onlyRecord(drive), new byte[0]))
                .orElseGet(() -> Response.empty(200));
    }

    /// Some of a slice, verified. The answer breaks off before the first block that is not what was written.
    ///
    /// @param object of which the drive has a slice; closed with the answer
    /// @param from the first byte, a multiple of a block's size; the slice may end before
    /// @param to where they end, likewise
    static Response slice(StoredObject object, long from, long to) {
        var range = new Range(object.record(), from, to);
        return slice(object.record(), new ResponseBody.FileRange(object.slice(), range.from, range.to - range.from));
    }

    private static Response slice(ObjectRecord record, ResponseBody body) {
        return new Response(
                200,
                Headers.of(
                        POSITION_HEADER,
                        Integer.toString(record.position()),
                        "Content-Type",
                        "application/octet-stream"),
                body);
    }

    /// Some of a slice of a version, whichever the drive has of it, committed or only prepared. What is read is sent,
    /// whether it is what was written or not.
    ///
    /// @param from the first byte, a multiple of a block's size; the slice may end before
    /// @param to where they end, likewise
    /// @param whenDamaged run when it is not; must not block
    static Response slice(
            Drive drive,
            BucketRef bucket,
            ObjectKey name,
            ObjectVersion version,
            long from,
            long to,
            Runnable whenDamaged) {
        return PreparedObject.ofVersion(drive, bucket, name, version)
                .map(held -> switch (held) {
                    case PreparedObject.InFile(var record, var file) ->
                        slice(drive, record, file, new Range(record, from, to), whenDamaged);
                    case PreparedObject.InMemory(var record, var content) -> {
                        var some = new Range(record, from, to);
                        yield slice(
                                record,
                                new ResponseBody.Bytes(
                                        ByteBuffer.wrap(content).slice((int) some.from, (int) (some.to - some.from))));
                    }
                })
                .orElseGet(() -> Response.empty(200));
    }

    private static Response slice(Drive drive, ObjectRecord record, DriveFile file, Range range, Runnable whenDamaged) {
        return slice(record, streamed(drive, record, file, range, new byte[0], sink -> sink, Optional.of(new Damage() {
            @Override
            public boolean goesOnUnreadable(Drive on) {
                whenDamaged.run();
                on.confirmThere();
                return true;
            }

            @Override
            public void isFound() {
                whenDamaged.run(); // whoever takes it finds it too, and may go on with others
            }
        })));
    }

    /// The staging file of a write that is not decided.
    ///
    /// @param sent run for each block that is sent
    public static Response staged(Drive drive, ObjectRecord record, String work, Runnable sent) {
        var file = drive.call(() -> drive.store().open(work));
        return of(
                drive,
                record,
                file,
                Range.all(record),
                sink -> bytes -> {
                    sink.write(bytes);
                    sent.run();
                },
                Optional.empty());
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

    /// Which bytes of a file are sent: whole blocks.
    private record Range(long from, long to) {
        Range(ObjectRecord record, long from, long to) {
            this(Math.min(from, record.fileSize()), Math.min(to, record.fileSize()));
        }

        static Range all(ObjectRecord record) {
            return new Range(0, record.fileSize());
        }
    }

    /// What is done about bytes that are not what was written.
    private interface Damage {
        /// They cannot be read.
        ///
        /// @return whether others are sent in their place, which will be found wrong
        boolean goesOnUnreadable(Drive drive);

        /// @throws IOException when the answer is to break off
        void isFound() throws IOException;
    }

    /// @param whenDamaged empty: what is read is sent
    private static Response of(Drive drive, ObjectRecord record, DriveFile file, Optional<Runnable> whenDamaged) {
        return of(drive, record, file, Range.all(record), sink -> sink, whenDamaged.map(run -> new Damage() {
            @Override
            public boolean goesOnUnreadable(Drive on) {
                run.run();
                return false;
            }

            @Override
            public void isFound() throws IOException {
                run.run();
                throw damaged(drive, record);
            }
        }));
    }

    private static IOException damaged(Drive drive, ObjectRecord record) {
        return new IOException("'%s' on drive %s is damaged".formatted(record.key(), drive.id()));
    }

    /// @param around what the bytes go through
    private static Response of(
            Drive drive,
            ObjectRecord record,
            DriveFile file,
            Range range,
            UnaryOperator<ByteSink> around,
            Optional<Damage> damage) {
        var head = RecordBytes.encode(record);
        return answer(head, streamed(drive, record, file, range, head, around, damage));
    }

    private static ResponseBody streamed(
            Drive drive,
            ObjectRecord record,
            DriveFile file,
            Range range,
            byte[] head,
            UnaryOperator<ByteSink> around,
            Optional<Damage> damage) {
        return new ResponseBody.Streamed(head.length + range.to - range.from, sink -> {
            try {
                sink.write(ByteBuffer.wrap(head));
                send(drive, record, file, range, around.apply(sink), damage);
            } finally {
                drive.closeLater(file);
            }
        });
    }

    private static void send(
            Drive drive, ObjectRecord record, DriveFile file, Range range, ByteSink sink, Optional<Damage> damage)
            throws IOException {
        var block = ByteBuffer.allocate((int) Math.min(BlockSums.BLOCK, range.to - range.from));
        var sums = record.fileSums();
        for (long at = range.from; at < range.to; at += BlockSums.BLOCK) {
            long begin = at;
            block.clear().limit((int) Math.min(BlockSums.BLOCK, range.to - at));
            try {
                var _ = drive.call(() -> {
                    file.read(begin, block);
                    return Optional.empty();
                });
            } catch (UncheckedIOException e) {
                throw e.getCause();
            } catch (StoreException.DriveFailed unreadable) {
                if (damage.isEmpty() || !damage.get().goesOnUnreadable(drive)) {
                    throw new IOException(unreadable);
                }
                while (block.hasRemaining()) {
                    block.put((byte) 0);
                }
            }
            boolean whole = !block.hasRemaining();
            block.flip();
            int number = (int) (at / BlockSums.BLOCK);
            if (damage.isPresent() && !(whole && sums.matches(number, block))) {
                damage.get().isFound();
            }
            if (!whole) {
                throw damaged(drive, record);
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
