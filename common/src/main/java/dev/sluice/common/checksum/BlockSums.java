package dev.sluice.common.checksum;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.zip.CRC32C;

/// The CRC32C of each 1 MiB block of some bytes, kept apart from them: what every read is verified against, so that a
/// range needs only the blocks it touches. The last block may be shorter. Immutable.
public final class BlockSums {
    public static final int BLOCK = 1 << 20;

    private static final long BLOCK_SHIFT = CombinableCrc.CRC32C.shift(BLOCK);

    private final int[] sums;

    private BlockSums(int[] sums) {
        this.sums = sums;
    }

    public static BlockSums of(int... sums) {
        return new BlockSums(sums.clone());
    }

    /// @param bytes what [#toBytes] gave
    public static BlockSums ofBytes(byte[] bytes) {
        var sums = new int[bytes.length / 4];
        ByteBuffer.wrap(bytes).asIntBuffer().get(sums);
        return new BlockSums(sums);
    }

    /// Four bytes a block, big-endian.
    public byte[] toBytes() {
        var bytes = ByteBuffer.allocate(4 * sums.length);
        bytes.asIntBuffer().put(sums);
        return bytes.array();
    }

    public static int blocksOf(long size) {
        return Math.toIntExact((size + BLOCK - 1) / BLOCK);
    }

    public int count() {
        return sums.length;
    }

    public int get(int block) {
        return sums[block];
    }

    /// Whether these are the bytes of a block. They are not consumed.
    public boolean matches(int block, ByteBuffer bytes) {
        var crc = new CRC32C();
        crc.update(bytes.duplicate());
        return (int) crc.getValue() == sums[block];
    }

    /// The CRC32C of all the bytes, from the blocks'.
    ///
    /// @param size of the bytes
    public long crc32c(long size) {
        long whole = 0;
        for (int i = 0; i < sums.length; i++) {
            long next = sums[i] & 0xFFFFFFFFL;
            long length = Math.min(BLOCK, size - (long) i * BLOCK);
            whole = length == BLOCK
                    ? CombinableCrc.CRC32C.append(whole, next, BLOCK_SHIFT)
                    : CombinableCrc.CRC32C.combine(whole, next, length);
        }
        return whole;
    }

    /// The same as S3 writes it.
    public String crc32cBase64(long size) {
        return Base64.getEncoder().encodeToString(Hasher.Crc.bigEndian(crc32c(size), Integer.BYTES));
    }

    /// The sums of bytes that follow each other; all but the last must be whole blocks. Each sum is copied once.
    public static BlockSums joined(List<BlockSums> pieces) {
        var all = new int[pieces.stream().mapToInt(BlockSums::count).sum()];
        int at = 0;
        for (var piece : pieces) {
            System.arraycopy(piece.sums, 0, all, at, piece.sums.length);
            at += piece.sums.length;
        }
        return new BlockSums(all);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof BlockSums that && Arrays.equals(sums, that.sums);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(sums);
    }

    @Override
    public String toString() {
        return sums.length + " blocks";
    }
}
