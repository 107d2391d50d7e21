package dev.sluice.targetnode.storage.resilver;

import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.PackedReader;
import dev.sluice.targetnode.storage.record.PackedWriter;
import java.io.IOException;

/// How far a drive's keys were looked at, as it is kept in the drive's index. Not synced: what a crash takes is looked
/// at again.
///
/// @param fingerprint of the table that they were looked at under; empty: never
/// @param bucketId with `key`: the last one
/// @param keys looked at
/// @param bytes of their objects
/// @param movedObjects of them
/// @param ended whether all were looked at
/// @param failed whether some could not be moved, and were not since
record Position(
        String fingerprint,
        long begunMillis,
        long bucketId,
        String key,
        long keys,
        long bytes,
        long movedObjects,
        long movedBytes,
        boolean ended,
        boolean failed) {
    static final Position NONE = new Position("", 0, 0, "", 0, 0, 0, 0, false, false);
    private static final byte[] KEY = {'r'};
    private static final int FORMAT = 1;

    static Position begun(String fingerprint, long nowMillis) {
        return new Position(fingerprint, nowMillis, 0, "", 0, 0, 0, 0, false, false);
    }

    boolean isBegun() {
        return !fingerprint.isEmpty();
    }

    /// Whether each key is where it belongs.
    boolean isDone() {
        return ended && !failed;
    }

    Position looked(ObjectKey name, long size) {
        return new Position(
                fingerprint,
                begunMillis,
                name.bucketId(),
                name.key(),
                keys + 1,
                bytes + size,
                movedObjects,
                movedBytes,
                ended,
                failed);
    }

    Position moved(long written) {
        return written == 0
                ? this
                : new Position(
                        fingerprint,
                        begunMillis,
                        bucketId,
                        key,
                        keys,
                        bytes,
                        movedObjects + 1,
                        movedBytes + written,
                        ended,
                        failed);
    }

    Position atEnd() {
        return new Position(
                fingerprint, begunMillis, bucketId, key, keys, bytes, movedObjects, movedBytes, true, failed);
    }

    Position failed(boolean some) {
        return new Position(
                fingerprint, begunMillis, bucketId, key, keys, bytes, movedObjects, movedBytes, ended, some);
    }

    private byte[] encode() {
        return new PackedWriter(FORMAT)
                .text(fingerprint)
                .number(begunMillis)
                .number(bucketId)
                .text(key)
                .number(keys)
                .number(bytes)
                .number(movedObjects)
                .number(movedBytes)
                .flag(ended)
                .flag(failed)
                .sealed();
    }

    private static Position decode(byte[] value) throws IOException {
        var in = new PackedReader("the position of a resilver", value, FORMAT);
        return new Position(
                in.text(),
                in.number(),
                in.number(),
                in.text(),
                in.number(),
                in.number(),
                in.number(),
                in.number(),
                in.flag(),
                in.flag());
    }

    /// On a drive thread.
    static Position readFrom(Drive drive) throws IOException {
        var value = drive.marks().kept(KEY);
        return value.isEmpty() ? NONE : decode(value.get());
    }

    /// On a drive thread.
    void writeTo(Drive drive) throws IOException {
        drive.marks().keep(KEY, encode());
    }
}
