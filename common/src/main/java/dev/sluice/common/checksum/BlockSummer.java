package dev.sluice.common.checksum;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.CRC32C;

/// Sums blocks while they are written. Blocks may come in any order, and several at a time, but the bytes of one
/// block must come from its start to its end. Safe for several threads.
public final class BlockSummer {
    private record Open(CRC32C crc, int filled) {}

    private final Map<Integer, Open> open = new HashMap<>();
    private final BitSet whole = new BitSet();
    private int[] sums = new int[4];

    public void update(long offset, ByteBuffer bytes) {
        var left = bytes.duplicate();
        long position = offset;
        while (left.hasRemaining()) {
            int within = (int) (position % BlockSums.BLOCK);
            int length = Math.min(left.remaining(), BlockSums.BLOCK - within);
            add(Math.toIntExact(position / BlockSums.BLOCK), within, left.slice(left.position(), length));
            left.position(left.position() + length);
            position += length;
        }
    }

    private void add(int block, int within, ByteBuffer part) {
        int length = part.remaining();
        var crc = new CRC32C();
        synchronized (this) {
            var before = open.remove(block);
            if (whole.get(block) || within != (before == null ? 0 : before.filled)) {
                throw new IllegalStateException("block %d: bytes at %d are out of order".formatted(block, within));
            }
            crc = before == null ? crc : before.crc;
        }
        crc.update(part);
        synchronized (this) {
            if (sums.length <= block) {
                sums = Arrays.copyOf(sums, Math.max(block + 1, sums.length * 2));
            }
            sums[block] = (int) crc.getValue();
            if (within + length == BlockSums.BLOCK) {
                whole.set(block);
            } else {
                open.put(block, new Open(crc, within + length));
            }
        }
    }

    /// @param size of all the bytes; each of them must have been given
    public synchronized BlockSums finish(long size) {
        int blocks = BlockSums.blocksOf(size);
        int full = (int) (size / BlockSums.BLOCK);
        var last = open.get(full);
        boolean complete = whole.cardinality() == full
                && whole.nextClearBit(0) == full
                && (blocks == full ? open.isEmpty() : open.size() == 1 && last != null)
                && (last == null || last.filled == size % BlockSums.BLOCK);
        if (!complete) {
            throw new IllegalStateException("not all of the " + size + " bytes were written");
        }
        return BlockSums.of(Arrays.copyOf(sums, blocks));
    }
}
