package dev.sluice.targetnode.storage.resilver;

import java.util.Collection;

/// How far a pass is, over all drives.
record Summary(
        long keys, long keysAll, long bytes, long bytesAll, long movedObjects, long movedBytes, long begunMillis) {
    static final Summary NONE = new Summary(0, 0, 0, 0, 0, 0, 0);
    /// What a key costs besides its object's bytes.
    private static final long EACH = 64 << 10;

    static Summary of(Collection<DriveLook> looks) {
        var sum = NONE;
        for (var look : looks) {
            var at = look.at();
            sum = new Summary(
                    sum.keys + at.keys(),
                    sum.keysAll + look.keysAll(),
                    sum.bytes + at.bytes(),
                    sum.bytesAll + look.bytesAll(),
                    sum.movedObjects + at.movedObjects(),
                    sum.movedBytes + at.movedBytes(),
                    Math.max(sum.begunMillis, at.begunMillis()));
        }
        return sum;
    }

    long work() {
        return bytes + keys * EACH;
    }

    long workAll() {
        return bytesAll + keysAll * EACH;
    }
}
