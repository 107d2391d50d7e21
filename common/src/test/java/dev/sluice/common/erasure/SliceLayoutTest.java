package dev.sluice.common.erasure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.checksum.BlockSums;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Each byte of an object is at one place of one data slice, and each stripe's parity is as long as its longest block.
@Timeout(60)
class SliceLayoutTest {
    private static final int BLOCK = BlockSums.BLOCK;

    private static long randomSize(Random random) {
        long whole = random.nextInt(60) * (long) BLOCK;
        return switch (random.nextInt(4)) {
            case 0 -> whole;
            case 1 -> whole + 1;
            case 2 -> Math.max(0, whole - 1);
            default -> whole + random.nextInt(BLOCK);
        };
    }

    private static SliceLayout random(Random random) {
        return new SliceLayout(
                new ErasureCode(
                        ErasureCode.LEAST_DATA + random.nextInt(ErasureCode.MOST_DATA - ErasureCode.LEAST_DATA + 1),
                        1 + random.nextInt(ErasureCode.MOST_PARITY)),
                randomSize(random));
    }

    /// As the definition says, block by block.
    @Test
    void slicesAreTheBlocksOfTheirPosition() {
        for (int seed = 0; seed < 3000; seed++) {
            var layout = random(new Random(seed));
            int data = layout.code().data();
            var sizes = new long[layout.code().slices()];
            int blocks = Math.toIntExact(Math.ceilDiv(layout.size(), BLOCK));
            for (int block = 0; block < blocks; block++) {
                long length = Math.min(BLOCK, layout.size() - (long) block * BLOCK);
                int stripe = block / data;
                assertThat(layout.code().position(block)).isEqualTo(block % data);
                assertThat(layout.code().stripe(block)).isEqualTo(stripe);
                assertThat(layout.cellOffset(stripe)).isEqualTo((long) stripe * BLOCK);
                assertThat(layout.blocks(stripe)).isEqualTo(Math.min(data, blocks - stripe * data));
                assertThat((long) layout.cellLength(stripe, block % data)).isEqualTo(length);
                sizes[block % data] += length;
                if (block % data == 0) {
                    for (int j = 0; j < layout.code().parity(); j++) {
                        assertThat((long) layout.cellLength(stripe, data + j)).isEqualTo(length);
                        sizes[data + j] += length;
                    }
                }
            }
            assertThat(layout.stripes()).isEqualTo(Math.ceilDiv(blocks, data));
            for (int position = 0; position < sizes.length; position++) {
                assertThat(layout.sliceSize(position))
                        .as("%s %d", layout, position)
                        .isEqualTo(sizes[position]);
                long cells = Math.ceilDiv(sizes[position], BLOCK);
                assertThat((long) layout.cells(position)).isEqualTo(cells);
            }
        }
    }

    @Test
    void aRangeIsPiecesInOrder() {
        for (int seed = 0; seed < 3000; seed++) {
            var random = new Random(seed);
            var layout = random(random);
            long from = layout.size() == 0 ? 0 : random.nextLong(layout.size());
            requirePieces(layout, from, from + random.nextLong(layout.size() - from + 1));
        }
    }

    private static void requirePieces(SliceLayout layout, long from, long to) {
        for (long at = from; at < to; ) {
            var piece = layout.piece(at, to);
            long stripe = piece.offset() / BLOCK;
            long before = (stripe * layout.code().data() + piece.position()) * BLOCK;
            assertThat(before + piece.offset() % BLOCK).isEqualTo(at);
            assertThat(piece.position()).isLessThan(layout.code().data());
            assertThat((long) piece.length()).isEqualTo(Math.min(BLOCK - at % BLOCK, to - at));
            assertThat(piece.offset() + piece.length()).isLessThanOrEqualTo(layout.sliceSize(piece.position()));
            at += piece.length();
        }
    }

    @Test
    void anObjectMayHaveTerabytes() {
        long size = (5L << 40) + 7;
        var layout = new SliceLayout(new ErasureCode(4, 2), size);
        long stripes = Math.ceilDiv(size, 4L * BLOCK);
        assertThat((long) layout.stripes()).isEqualTo(stripes);
        assertThat(layout.sliceSize(0)).isEqualTo((stripes - 1) * BLOCK + 7);
        assertThat(layout.sliceSize(3)).isEqualTo((stripes - 1) * BLOCK);
        assertThat(layout.sliceSize(5)).isEqualTo((stripes - 1) * BLOCK + 7);
        assertThat(layout.blocks(layout.stripes() - 1)).isEqualTo(1);
        assertThat(layout.blocks(layout.stripes() - 2)).isEqualTo(4);
        requirePieces(layout, size - 20L * BLOCK, size);
        assertThatThrownBy(() -> new SliceLayout(layout.code(), (long) Integer.MAX_VALUE * BLOCK))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /// So there is no smallest size of an object that is coded.
    @Test
    void anObjectOfOneBlockIsCopies() {
        var layout = new SliceLayout(new ErasureCode(4, 2), 1000);
        assertThat(List.of(0, 1, 2, 3, 4, 5).stream().map(layout::sliceSize))
                .containsExactly(1000L, 0L, 0L, 0L, 1000L, 1000L);
        assertThat(new SliceLayout(new ErasureCode(4, 2), 0).sliceSize(5)).isZero();
    }

    @Test
    void whatIsNotThereIsRefused() {
        var layout = new SliceLayout(new ErasureCode(2, 1), 10);
        assertThatThrownBy(() -> layout.piece(0, 11)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> layout.piece(-1, 4)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> layout.piece(5, 4)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> layout.piece(5, 5)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> layout.blocks(1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> layout.cellLength(0, 3)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> layout.cellLength(0, -1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> new SliceLayout(layout.code(), -1)).isInstanceOf(IllegalArgumentException.class);
    }
}
