package dev.sluice.common.placement;

import com.dynatrace.hash4j.hashing.HashStream64;
import com.dynatrace.hash4j.hashing.Hashing;
import java.nio.charset.StandardCharsets;

/// A placement group: everything that moves, moves by slot.
///
/// `slot` = top 16 bits of XXH3-64 (seed 0) over: bucket id (8 bytes, big-endian), one zero byte, the key in UTF-8.
public final class Slot {
    public static final int COUNT = 1 << 16;

    private Slot() {}

    public static int of(long bucketId, String key) {
        HashStream64 stream = Hashing.xxh3_64().hashStream();
        stream.putLong(Long.reverseBytes(bucketId)); // hash4j writes little-endian
        stream.putByte((byte) 0);
        stream.putBytes(key.getBytes(StandardCharsets.UTF_8));
        return (int) (stream.getAsLong() >>> 48);
    }
}
