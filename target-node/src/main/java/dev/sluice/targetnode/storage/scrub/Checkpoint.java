package dev.sluice.targetnode.storage.scrub;

import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.PackedReader;
import dev.sluice.targetnode.storage.record.PackedWriter;
import java.io.IOException;

/// Where a scrub stands, as it is kept in the index.
///
/// @param bucketId with `at`: the object that was checked last, while objects are
/// @param at the path that was looked at last, while files are
/// @param objects checked in this pass, or the last one
/// @param bytes read of them
/// @param begunMillis this pass, or the last one; 0: never
/// @param finishedMillis the last whole pass; 0: never
/// @param stopped by an operator, who must start it again
/// @param demanded whether an operator set the rate of this pass
/// @param rate in bytes a second; 0: no limit
record Checkpoint(
        Phase phase,
        long bucketId,
        String at,
        long objects,
        long bytes,
        long begunMillis,
        long finishedMillis,
        boolean stopped,
        boolean demanded,
        long rate) {
    /// The parts of a pass.
    enum Phase {
        NONE(0),
        /// Each entry of the index, and its object.
        OBJECTS(1),
        /// Each file, and whether an entry speaks of it.
        FILES(2);

        private final int code;

        Phase(int code) {
            this.code = code;
        }

        static Phase of(long code) throws IOException {
            for (var phase : values()) {
                if (phase.code == code) {
                    return phase;
                }
            }
            throw new IOException("a scrub in an unknown phase");
        }
    }

    static final Checkpoint NEVER = new Checkpoint(Phase.NONE, 0, "", 0, 0, 0, 0, false, false, 0);
    private static final int FORMAT = 1;
    /// Before the path of a file. Without it the position is an earlier build's, which went by the order of names: what
    /// it has not looked at may be anywhere. Earlier builds find no file there, and begin with the first one.
    private static final String BY_FOLDERS = "/";

    /// Whether a pass is under way and may go on.
    boolean running() {
        return phase != Phase.NONE && !stopped;
    }

    Checkpoint begun(long nowMillis) {
        return new Checkpoint(Phase.OBJECTS, 0, "", 0, 0, nowMillis, finishedMillis, false, demanded, rate);
    }

    Checkpoint checked(ObjectKey object, long read) {
        return new Checkpoint(
                phase,
                object.bucketId(),
                object.key(),
                objects + 1,
                bytes + read,
                begunMillis,
                finishedMillis,
                stopped,
                demanded,
                rate);
    }

    /// All objects are checked; files are next.
    Checkpoint onToFiles() {
        return new Checkpoint(Phase.FILES, 0, "", objects, bytes, begunMillis, finishedMillis, stopped, demanded, rate);
    }

    Checkpoint looked(String path) {
        return new Checkpoint(phase, 0, path, objects, bytes, begunMillis, finishedMillis, stopped, demanded, rate);
    }

    Checkpoint finished(long nowMillis) {
        return new Checkpoint(Phase.NONE, 0, "", objects, bytes, begunMillis, nowMillis, stopped, false, 0);
    }

    Checkpoint stopping() {
        return new Checkpoint(phase, bucketId, at, objects, bytes, begunMillis, finishedMillis, true, demanded, rate);
    }

    Checkpoint demanded(long newRate) {
        return new Checkpoint(phase, bucketId, at, objects, bytes, begunMillis, finishedMillis, false, true, newRate);
    }

    byte[] encode() {
        return new PackedWriter(FORMAT)
                .number(phase.code)
                .number(bucketId)
                .text(phase == Phase.FILES ? BY_FOLDERS + at : at)
                .number(objects)
                .number(bytes)
                .number(begunMillis)
                .number(finishedMillis)
                .flag(stopped)
                .flag(demanded)
                .number(rate)
                .sealed();
    }

    static Checkpoint decode(byte[] value) throws IOException {
        var in = new PackedReader("the position of a scrub", value, FORMAT);
        var phase = Phase.of(in.number());
        return new Checkpoint(
                phase,
                in.number(),
                phase == Phase.FILES ? fileAt(in.text()) : in.text(),
                in.number(),
                in.number(),
                in.number(),
                in.number(),
                in.flag(),
                in.flag(),
                in.number());
    }

    private static String fileAt(String stored) {
        return stored.startsWith(BY_FOLDERS) ? stored.substring(BY_FOLDERS.length()) : "";
    }
}
