package dev.sluice.common.checksum;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.CRC32C;

/// The CRC32C of every 1 MiB block of an object, the last one maybe shorter: what every read is verified against, so
/// that a range needs only the blocks it touches. Immutable.
public final class BlockChecksums {
    public static final int BLOCK = 1 << 20;

    private static final long BLOCK_SHIFT = CombinableCrc.CRC32C.shift(BLOCK);

    private final long size;
    private final int[] blocks;

    private BlockChecksums(long size, int[] blocks) {
        this.size = size;
        this.blocks = blocks;
    }

    /// @param bytes what [#toBytes] gave for an object of this size
    public static BlockChecksums ofBytes(long size, byte[] bytes) {
        if (size < 0 || bytes.length != blockCount(size) * Integer.BYTES) {
            throw new IllegalArgumentException(
                    bytes.length + " bytes are no block checksums of an object of " + size + " bytes");
        }
        var blocks = new int[bytes.length / Integer.BYTES];
        ByteBuffer.wrap(bytes).asIntBuffer().get(blocks);
        return new BlockChecksums(size, blocks);
    }

    /// Four bytes a block, big-endian. The object's size is not in them.
    public byte[] toBytes() {
        var bytes = ByteBuffer.allocate(blocks.length * Integer.BYTES);
        bytes.asIntBuffer().put(blocks);
        return bytes.array();
    }

    public long size() {
        return size;
    }

    public int count() {
        return blocks.length;
    }

    /// How many bytes a block has.
    public int length(int block) {
        return (int) Math.min(BLOCK, size - (long) block * BLOCK);
    }

    /// True when these are the bytes of the whole block that were written. The buffer's position stays where it is.
    public boolean verify(int block, ByteBuffer bytes) {
        if (bytes.remaining() != length(block)) {
            return false;
        }
        var crc = new CRC32C();
        crc.update(bytes.duplicate());
        return matches(block, crc);
    }

    /// The same for a block that came in pieces.
    public boolean matches(int block, CRC32C crc) {
        return (int) crc.getValue() == blocks[block];
    }

    /// The CRC32C of the whole object, from the blocks'.
    public long crc32c() {
        long whole = 0;
        for (int i = 0; i < blocks.length; i++) {
            long next = blocks[i] & 0xFFFFFFFFL;
            whole = length(i) == BLOCK
                    ? CombinableCrc.CRC32C.append(whole, next, BLOCK_SHIFT)
                    : CombinableCrc.CRC32C.combine(whole, next, length(i));
        }
        return whole;
    }

    /// The same as S3 writes it.
    public String crc32cBase64() {
        return Base64.getEncoder().encodeToString(Hasher.Crc.bigEndian(crc32c(), Integer.BYTES));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof BlockChecksums that && size == that.size && Arrays.equals(blocks, that.blocks);
    }

    @Override
    public int hashCode() {
        return 31 * Long.hashCode(size) + Arrays.hashCode(blocks);
    }

    private static long blockCount(long size) {
        return (size + BLOCK - 1) / BLOCK;
    }

    /// Takes the bytes of an object in order. One thread at a time.
    public static final class Builder {
        private final CRC32C crc = new CRC32C();
        private int[] blocks = new int[4];
        private int full;
        private int inBlock;

        /// Takes in what remains in the buffer, whose position stays where it is.
        public void add(ByteBuffer bytes) {
            var left = bytes.duplicate();
            int end = left.limit();
            while (left.position() < end) {
                int length = Math.min(end - left.position(), BLOCK - inBlock);
                left.limit(left.position() + length);
                crc.update(left);
                inBlock += length;
                if (inBlock == BLOCK) {
                    close();
                }
            }
        }

        public long size() {
            return (long) full * BLOCK + inBlock;
        }

        /// What was added so far.
        public BlockChecksums build() {
            var all = Arrays.copyOf(blocks, inBlock > 0 ? full + 1 : full);
            if (inBlock > 0) {
                all[full] = (int) crc.getValue();
            }
            return new BlockChecksums(size(), all);
        }

        private void close() {
            if (full == blocks.length) {
                blocks = Arrays.copyOf(blocks, full * 2);
            }
            blocks[full++] = (int) crc.getValue();
            crc.reset();
            inBlock = 0;
        }
    }
}
