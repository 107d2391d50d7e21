package dev.sluice.backend;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.zip.Checksum;

/// CRC-64/NVME, what S3 computes by itself for uploads that promise nothing: reflected, all ones before and after.
/// Eight bytes at a time through eight tables ("slicing by 8").
final class Crc64Nvme implements Checksum {
    private static final long POLYNOMIAL = 0x9a6c9329ac4bc9b5L; // 0xad93d23594c93659, bits reversed
    private static final long[][] TABLES = tables();
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private long crc = ~0L;

    private static long[][] tables() {
        var tables = new long[8][256];
        for (int i = 0; i < 256; i++) {
            long value = i;
            for (int bit = 0; bit < 8; bit++) {
                value = (value & 1) == 0 ? value >>> 1 : value >>> 1 ^ POLYNOMIAL;
            }
            tables[0][i] = value;
        }
        for (int i = 0; i < 256; i++) {
            for (int table = 1; table < 8; table++) {
                long before = tables[table - 1][i];
                tables[table][i] = before >>> 8 ^ tables[0][(int) (before & 0xff)];
            }
        }
        return tables;
    }

    @Override
    public void update(int b) {
        crc = crc >>> 8 ^ TABLES[0][(int) ((crc ^ b) & 0xff)];
    }

    @Override
    public void update(byte[] bytes, int offset, int length) {
        int at = offset;
        int end = offset + length;
        for (; end - at >= Long.BYTES; at += Long.BYTES) {
            long word = crc ^ (long) LONGS.get(bytes, at);
            crc = TABLES[7][(int) (word & 0xff)]
                    ^ TABLES[6][(int) (word >>> 8 & 0xff)]
                    ^ TABLES[5][(int) (word >>> 16 & 0xff)]
                    ^ TABLES[4][(int) (word >>> 24 & 0xff)]
                    ^ TABLES[3][(int) (word >>> 32 & 0xff)]
                    ^ TABLES[2][(int) (word >>> 40 & 0xff)]
                    ^ TABLES[1][(int) (word >>> 48 & 0xff)]
                    ^ TABLES[0][(int) (word >>> 56)];
        }
        for (; at < end; at++) {
            update(bytes[at]);
        }
    }

    @Override
    public long getValue() {
        return ~crc;
    }

    @Override
    public void reset() {
        crc = ~0L;
    }
}
