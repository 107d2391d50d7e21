package dev.sluice.common.erasure;

import dev.sluice.common.checksum.BlockSums;
import java.util.Objects;

/// Where the bytes of an object lie in its slices. All sizes and offsets are in bytes.
///
/// Block b of the object, 1 MiB of it, is at data position b mod D. A *stripe* is D blocks, one of each data position,
/// or fewer at the object's end, and its P parity cells, which are as long as its longest block. A *cell* is what a
/// position has of a stripe; a slice is a position's cells, one after the other. So a stripe of one block is P + 1
/// equal cells.
///
/// @param size of the object
public record SliceLayout(ErasureCode code, long size) {
    private static final int BLOCK = BlockSums.BLOCK;

    public SliceLayout {
        if (size < 0 || size / BLOCK >= Integer.MAX_VALUE) {
            throw new IllegalArgumentException("no object has %d bytes".formatted(size));
        }
    }

    /// A part of a cell.
    ///
    /// @param offset in the position's slice
    public record Piece(int position, long offset, int length) {}

    // ---- stripes

    private long stripeSize() {
        return (long) code.data() * BLOCK;
    }

    public int stripes() {
        return (int) Math.ceilDiv(size, stripeSize());
    }

    private long bytesFrom(int stripe) {
        return size - Objects.checkIndex(stripe, stripes()) * stripeSize();
    }

    /// The number of blocks of a stripe: in the last one there may be fewer than data positions.
    public int blocks(int stripe) {
        return (int) Math.ceilDiv(Math.min(stripeSize(), bytesFrom(stripe)), BLOCK);
    }

    /// The length of a position's cell; 0 where a short stripe has none.
    public int cellLength(int stripe, int position) {
        Objects.checkIndex(position, code.slices());
        long before = code.isParity(position) ? 0 : (long) position * BLOCK;
        return Math.clamp(bytesFrom(stripe) - before, 0, BLOCK);
    }

    /// Where the cells of a stripe begin in their slices: at all positions alike.
    public long cellOffset(int stripe) {
        return (long) Objects.checkIndex(stripe, stripes()) * BLOCK;
    }

    // ---- slices

    /// The number of a position's cells: it may be without one in the last stripe.
    public int cells(int position) {
        int stripes = stripes();
        return stripes > 0 && cellLength(stripes - 1, position) == 0 ? stripes - 1 : stripes;
    }

    /// The size of a position's slice.
    public long sliceSize(int position) {
        int cells = cells(position);
        return cells == 0 ? 0 : cellOffset(cells - 1) + cellLength(cells - 1, position);
    }

    /// How many bytes all slices have together.
    public long total() {
        long total = 0;
        for (int position = 0; position < code.slices(); position++) {
            total += sliceSize(position);
        }
        return total;
    }

    /// Where the object's bytes from an offset on are, as far as one cell has them.
    ///
    /// @param to where the wanted bytes end, behind the offset
    public Piece piece(long from, long to) {
        Objects.checkFromToIndex(from, to, size);
        if (from == to) {
            throw new IllegalArgumentException("no bytes are wanted at " + from);
        }
        long block = from / BLOCK;
        int within = (int) (from % BLOCK);
        int length = (int) Math.min(BLOCK - within, to - from);
        return new Piece(code.position(block), code.stripe(block) * BLOCK + within, length);
    }
}
