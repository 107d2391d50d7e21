package dev.sluice.common.placement;

import com.dynatrace.hash4j.hashing.Hashing;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// A placement group: everything that moves, moves by slot.
///
/// `slot` = top 16 bits of XXH3-64 (seed 0) over: bucket id (8 bytes, big-endian), one zero byte, the key in UTF-8.
public final class Slot {
    public static final int COUNT = 1 << 16;

    private Slot() {}

    public static int of(long bucketId, String key) {
        var utf8 = key.getBytes(StandardCharsets.UTF_8);
        var hashed = ByteBuffer.allocate(Long.BYTES + 1 + utf8.length)
                .putLong(bucketId)
                .put((byte) 0)
                .put(utf8);
        return (int) (Hashing.xxh3_64().hashBytesToLong(hashed.array()) >>> 48);
    }
}
