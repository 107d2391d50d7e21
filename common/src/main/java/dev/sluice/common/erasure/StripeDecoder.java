package dev.sluice.common.erasure;

import dev.sluice.common.checksum.BlockSums;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/// Makes cells of a stripe of others.
///
/// A stripe of m blocks has m + P *rows*: its blocks, 0 to m - 1, then its parity cells. Any m of them make every
/// other one: as a sum of constants times bytes at the same offset. Such a sum is made by Horner's rule over the
/// constants' bits: from the highest to the lowest, what there is so far times 2, plus the rows whose constant has
/// the bit. So it takes seven doublings at most, whatever the number of rows is. For one thread.
public final class StripeDecoder {
    /// The bytes of 20 rows that are taken at once stay in the processor's cache.
    private static final int CHUNK = 8 << 10;

    private final int blocks;
    private final List<Integer> from;

    /// For each wanted row, and each row that it is made of.
    private final int[][] constants;

    private final long[][] rows;
    private final long[] sum = new long[CHUNK / Long.BYTES];
    private final ByteBuffer bytes = ByteBuffer.allocate(CHUNK).order(ByteOrder.nativeOrder());

    /// @param blocks of the stripe
    /// @param from as many different positions, which have cells in it
    /// @param wanted the positions whose cells are made, one or more
    StripeDecoder(ErasureCode code, int blocks, List<Integer> from, List<Integer> wanted) {
        if (from.size() != blocks || from.stream().distinct().count() != blocks || wanted.isEmpty()) {
            throw new IllegalArgumentException(
                    "cells %s of cells %s: a stripe of %d blocks needs as many".formatted(wanted, from, blocks));
        }
        this.blocks = blocks;
        this.from = List.copyOf(from);
        var inverse = CodeMatrix.rows(blocks, rows(code, blocks, from)).inverse();
        this.constants = CodeMatrix.rows(blocks, rows(code, blocks, wanted))
                .times(inverse)
                .values();
        this.rows = new long[blocks][CHUNK / Long.BYTES];
    }

    private static List<Integer> rows(ErasureCode code, int blocks, List<Integer> positions) {
        return positions.stream()
                .map(position -> code.isParity(Objects.checkIndex(position, code.slices()))
                        ? blocks + position - code.data()
                        : Objects.checkIndex(position, blocks))
                .toList();
    }

    /// A decoder of one stripe, and of every other one with as many blocks.
    ///
    /// @param there the positions that can be read, those first that are read rather than others
    /// @param wanted the positions whose cells are made; each has one in this stripe
    /// @throws IllegalArgumentException when too few can be read
    public static StripeDecoder of(SliceLayout layout, int stripe, List<Integer> there, List<Integer> wanted) {
        int blocks = layout.blocks(stripe);
        var from = there.stream()
                .filter(position -> layout.cellLength(stripe, position) > 0)
                .limit(blocks)
                .toList();
        return new StripeDecoder(layout.code(), blocks, from, wanted);
    }

    /// The positions that are read, in the order of [#decode].
    public List<Integer> from() {
        return from;
    }

    /// Fills buffers with bytes of the wanted cells, from the bytes of others at the same offset in their cells.
    ///
    /// @param from in the order of [#from]. Consumes as many bytes as it makes. Only the stripe's last block
    ///     may end before
    /// @param into in the order in which cells are wanted, all of one length: 1 MiB at most
    /// @throws IllegalArgumentException when the buffers are not so; nothing is consumed then
    public void decode(List<ByteBuffer> from, List<ByteBuffer> into) {
        int length = length(from, into);
        for (int at = 0; at < length; at += CHUNK) {
            int now = Math.min(CHUNK, length - at);
            int count = Math.ceilDiv(now, Long.BYTES);
            for (int row = 0; row < rows.length; row++) {
                load(from.get(row), now, rows[row], count);
            }
            for (int i = 0; i < constants.length; i++) {
                add(constants[i], count);
                store(now, count, into.get(i));
            }
        }
    }

    private int length(List<ByteBuffer> given, List<ByteBuffer> into) {
        if (given.size() != rows.length || into.size() != constants.length) {
            throw new IllegalArgumentException(
                    "%d cells of %d, not %d of %d".formatted(into.size(), given.size(), constants.length, rows.length));
        }
        int length = into.getFirst().remaining();
        boolean equal = into.stream().allMatch(each -> each.remaining() == length);
        boolean enough = IntStream.range(0, given.size())
                .allMatch(i -> given.get(i).remaining() >= length || isShort(from.get(i)));
        if (!equal || !enough || length > BlockSums.BLOCK) {
            throw new IllegalArgumentException("%s of %s: they do not have the same length, of 1 MiB at most"
                    .formatted(lengths(into), lengths(given)));
        }
        return length;
    }

    /// Whether the position's cell may end before the others do.
    private boolean isShort(int position) {
        return position == blocks - 1 && blocks > 1;
    }

    private static List<Integer> lengths(List<ByteBuffer> buffers) {
        return buffers.stream().map(ByteBuffer::remaining).toList();
    }

    private void load(ByteBuffer cell, int length, long[] row, int count) {
        int there = Math.min(length, cell.remaining());
        bytes.put(0, cell, cell.position(), there);
        cell.position(cell.position() + there);
        Arrays.fill(bytes.array(), there, count * Long.BYTES, (byte) 0);
        bytes.asLongBuffer().get(row, 0, count);
    }

    private void add(int[] constant, int count) {
        Arrays.fill(sum, 0, count, 0);
        int highest = Integer.highestOneBit(Arrays.stream(constant).max().orElseThrow());
        for (int bit = highest; bit > 0; bit >>= 1) {
            if (bit < highest) {
                GaloisField.multiply(sum, 0, count, 1);
            }
            for (int row = 0; row < rows.length; row++) {
                if ((constant[row] & bit) != 0) {
                    GaloisField.add(sum, rows[row], count);
                }
            }
        }
    }

    private void store(int length, int count, ByteBuffer into) {
        bytes.asLongBuffer().put(sum, 0, count);
        into.put(into.position(), bytes, 0, length);
        into.position(into.position() + length);
    }
}
