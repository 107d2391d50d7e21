package dev.sluice.targetnode.storage.record;

import java.nio.ByteBuffer;
import java.util.Arrays;

/// The CRC32C of each 1 MiB block of some bytes, kept apart from them. The last block may be shorter.
public final class BlockSums {
    public static final int BLOCK = 1 << 20;
    public static final BlockSums NONE = new BlockSums(new int[0]);

    private final int[] sums;

    private BlockSums(int[] sums) {
        this.sums = sums;
    }

    public static BlockSums of(int... sums) {
        return new BlockSums(sums.clone());
    }

    static BlockSums ofBytes(byte[] bytes) {
        var sums = new int[bytes.length / 4];
        ByteBuffer.wrap(bytes).asIntBuffer().get(sums);
        return new BlockSums(sums);
    }

    byte[] toBytes() {
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

    /// The sums of bytes that follow these, which must be whole blocks.
    public BlockSums followedBy(BlockSums next) {
        var both = Arrays.copyOf(sums, sums.length + next.sums.length);
        System.arraycopy(next.sums, 0, both, sums.length, next.sums.length);
        return new BlockSums(both);
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
