package dev.sluice.common.checksum;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.Checksum;

/// CRC-64/NVME (NVM Express command set specification, "64b CRC"): polynomial 0xAD93D23594C93659, reflected, all ones
/// before and after. Two words at a time through sixteen tables of 2 KiB ("slicing by 16", Kounavis and Berry 2005):
/// the look-ups of a step do not depend on each other, so the memory unit is kept busy.
public final class Crc64Nvme implements Checksum {
    static final long REFLECTED_POLYNOMIAL = 0x9A6C9329AC4BC9B5L;

    private static final long[][] TABLES = tables();
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private long state = -1;

    @Override
    public void update(int b) {
        state = TABLES[0][(int) (state ^ b) & 0xFF] ^ (state >>> 8);
    }

    @Override
    public void update(byte[] bytes, int offset, int length) {
        long crc = state;
        int at = offset;
        int end = offset + length;
        for (; end - at >= 16; at += 16) {
            crc = step((long) LONG.get(bytes, at) ^ crc, (long) LONG.get(bytes, at + 8));
        }
        for (; at < end; at++) {
            crc = TABLES[0][(int) (crc ^ bytes[at]) & 0xFF] ^ (crc >>> 8);
        }
        state = crc;
    }

    /// Consumes the buffer, as the JDK's checksums do.
    @Override
    public void update(ByteBuffer buffer) {
        if (buffer.hasArray()) {
            update(buffer.array(), buffer.arrayOffset() + buffer.position(), buffer.remaining());
            buffer.position(buffer.limit());
            return;
        }
        var words = buffer.slice().order(ByteOrder.LITTLE_ENDIAN);
        long crc = state;
        int at = 0;
        int end = words.limit();
        for (; end - at >= 16; at += 16) {
            crc = step(words.getLong(at) ^ crc, words.getLong(at + 8));
        }
        for (; at < end; at++) {
            crc = TABLES[0][(int) (crc ^ words.get(at)) & 0xFF] ^ (crc >>> 8);
        }
        state = crc;
        buffer.position(buffer.limit());
    }

    @Override
    public long getValue() {
        return ~state;
    }

    @Override
    public void reset() {
        state = -1;
    }

    private static long step(long first, long second) {
        long[][] t = TABLES;
        return t[15][(int) first & 0xFF]
                ^ t[14][(int) (first >>> 8) & 0xFF]
                ^ t[13][(int) (first >>> 16) & 0xFF]
                ^ t[12][(int) (first >>> 24) & 0xFF]
                ^ t[11][(int) (first >>> 32) & 0xFF]
                ^ t[10][(int) (first >>> 40) & 0xFF]
                ^ t[9][(int) (first >>> 48) & 0xFF]
                ^ t[8][(int) (first >>> 56)]
                ^ t[7][(int) second & 0xFF]
                ^ t[6][(int) (second >>> 8) & 0xFF]
                ^ t[5][(int) (second >>> 16) & 0xFF]
                ^ t[4][(int) (second >>> 24) & 0xFF]
                ^ t[3][(int) (second >>> 32) & 0xFF]
                ^ t[2][(int) (second >>> 40) & 0xFF]
                ^ t[1][(int) (second >>> 48) & 0xFF]
                ^ t[0][(int) (second >>> 56)];
    }

    /// Table k holds what a byte has become after k more zero bytes.
    private static long[][] tables() {
        var tables = new long[16][256];
        for (int b = 0; b < 256; b++) {
            long crc = b;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 1) != 0 ? (crc >>> 1) ^ REFLECTED_POLYNOMIAL : crc >>> 1;
            }
            tables[0][b] = crc;
        }
        for (int k = 1; k < 16; k++) {
            for (int b = 0; b < 256; b++) {
                long before = tables[k - 1][b];
                tables[k][b] = tables[0][(int) before & 0xFF] ^ (before >>> 8);
            }
        }
        return tables;
    }
}
