package dev.sluice.common.erasure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.checksum.BlockSums;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The code itself: parity is the sum that its definition says, and any m of a stripe's rows make all others.
@Timeout(60)
class StripeCodeTest {
    /// Most slices of a code whose erasures are all tried.
    private static final int ROWS = 12;

    /// The product in GF(2^8), bit by bit.
    private static int product(int a, int b) {
        int product = 0;
        for (int bit = 7; bit >= 0; bit--) {
            product <<= 1;
            if (product > 255) {
                product ^= 0x11d;
            }
            if ((b >> bit & 1) != 0) {
                product ^= a;
            }
        }
        return product;
    }

    private static List<byte[]> blocks(Random random, int number, int length) {
        var blocks = new ArrayList<byte[]>();
        for (int i = 0; i < number; i++) {
            var block = new byte[i == number - 1 ? 1 + random.nextInt(length) : length];
            random.nextBytes(block);
            blocks.add(block);
        }
        return blocks;
    }

    /// All rows of the stripe; the blocks arrive in pieces of any size.
    private static List<byte[]> rows(List<byte[]> blocks, int parity, Random random) {
        var cells = new StripeEncoder(code(parity));
        var other = new byte[90_001];
        random.nextBytes(other);
        cells.add(ByteBuffer.wrap(other)); // another stripe, which is given up within its second block
        cells.endBlock();
        cells.add(ByteBuffer.wrap(other, 0, 40_000));
        cells.clear();
        for (var block : blocks) {
            int room = cells.room();
            for (int at = 0; at < block.length; ) {
                int length = Math.min(block.length - at, 1 + random.nextInt(random.nextInt(10) == 0 ? 100_000 : 50));
                var piece = random.nextBoolean() ? ByteBuffer.allocateDirect(length) : ByteBuffer.allocate(length);
                cells.add(piece.put(block, at, length).flip().asReadOnlyBuffer());
                at += length;
                assertThat(cells.room()).isEqualTo(room - at);
            }
            cells.endBlock();
        }
        assertThat(cells.blocks()).isEqualTo(blocks.size());
        var rows = new ArrayList<>(blocks);
        for (int j = 0; j < parity; j++) {
            var cell = ByteBuffer.allocate(cells.length());
            for (int at = 0; at < cell.capacity(); ) { // in pieces, too
                int length = Math.min(cell.capacity() - at, 1 + random.nextInt(40_000));
                cells.copy(j, at, cell.limit(at + length));
                at += length;
            }
            rows.add(cell.array());
        }
        return rows;
    }

    private static ErasureCode code(int parity) {
        return new ErasureCode(ErasureCode.MOST_DATA, parity);
    }

    /// A row of a stripe of so many blocks, as a position.
    private static int position(int blocks, int row) {
        return row < blocks ? row : ErasureCode.MOST_DATA + row - blocks;
    }

    private static List<Integer> positions(int blocks, List<Integer> rows) {
        return rows.stream().map(row -> position(blocks, row)).toList();
    }

    @ParameterizedTest
    @CsvSource({"1,1", "1,70000", "2,1", "2,9", "3,16384", "4,16385", "5,65537", "20,1000", "2,1048576"})
    void parityIsTheSumOfItsDefinition(int blocks, int length) {
        var random = new Random(blocks * 31L + length);
        var rows = rows(blocks(random, blocks, length), ErasureCode.MOST_PARITY, random);
        for (int j = 0; j < ErasureCode.MOST_PARITY; j++) {
            var cell = rows.get(blocks + j);
            assertThat(cell).hasSize(rows.getFirst().length);
            for (int i = 0; i < blocks; i++) {
                int factor = 1;
                for (int k = 0; k < j * (blocks - 1 - i); k++) {
                    factor = product(factor, 2);
                }
                var block = rows.get(i);
                for (int at = 0; at < block.length; at++) {
                    cell[at] ^= (byte) product(block[at] & 0xff, factor);
                }
            }
            assertThat(Arrays.equals(cell, new byte[cell.length]))
                    .as("parity %d", j)
                    .isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void anyErasureIsMended(int parity) {
        var random = new Random(parity);
        for (int blocks = 1; blocks + parity <= ROWS; blocks++) {
            var rows = rows(blocks(random, blocks, 1 + random.nextInt(60)), parity, random);
            for (int lost = 1; lost < 1 << rows.size(); lost++) {
                if (Integer.bitCount(lost) <= parity) {
                    requireMended(rows, blocks, lost);
                }
            }
        }
    }

    private static void requireMended(List<byte[]> rows, int blocks, int lost) {
        var there = IntStream.range(0, rows.size())
                .filter(row -> (lost >> row & 1) == 0)
                .limit(blocks)
                .boxed()
                .toList();
        var wanted = IntStream.range(0, rows.size())
                .filter(row -> (lost >> row & 1) != 0)
                .boxed()
                .toList();
        requireMade(rows, blocks, there, wanted);
    }

    /// Of bytes at an offset in the cells, of direct buffers and others.
    private static void requireMade(List<byte[]> rows, int blocks, List<Integer> from, List<Integer> wanted) {
        int whole = rows.getFirst().length;
        int offset = whole / 3;
        int length = whole - offset;
        var made = wanted.stream()
                .map(_ -> ByteBuffer.allocate(length + 5).position(5))
                .toList();
        var given = from.stream()
                .map(row -> {
                    var bytes = rows.get(row);
                    int start = Math.min(offset, bytes.length);
                    var cell = ByteBuffer.allocateDirect(bytes.length - start);
                    return cell.put(bytes, start, bytes.length - start).flip();
                })
                .toList();
        new StripeDecoder(code(rows.size() - blocks), blocks, positions(blocks, from), positions(blocks, wanted))
                .decode(given, made);
        assertThat(given).noneMatch(ByteBuffer::hasRemaining);
        for (int i = 0; i < made.size(); i++) {
            assertThat(made.get(i).hasRemaining()).isFalse();
            var row = Arrays.copyOf(rows.get(wanted.get(i)), whole);
            assertThat(Arrays.equals(made.get(i).array(), 5, length + 5, row, offset, whole))
                    .as("%s of %s", wanted.get(i), from)
                    .isTrue();
        }
    }

    /// The last rows instead of the first ones, in any order, and long enough for several turns.
    @Test
    void anyRowsInAnyOrderMakeTheOthers() {
        var random = new Random(9);
        for (int i = 0; i < 200; i++) {
            int blocks = 1 + random.nextInt(ErasureCode.MOST_DATA);
            int parity = 1 + random.nextInt(ErasureCode.MOST_PARITY);
            var rows = rows(blocks(random, blocks, 1 + random.nextInt(40_000)), parity, random);
            var order = new ArrayList<>(IntStream.range(0, rows.size()).boxed().toList());
            Collections.shuffle(order, random);
            requireMade(rows, blocks, order.subList(0, blocks), order.subList(blocks, order.size()));
        }
    }

    /// Else there are slices that are enough by number, and do not make the object.
    @Test
    void noSquareOfTheParityIsSingular() {
        assertThat(singular(ErasureCode.MOST_DATA)).isEmpty(); // so no smaller one is either: they are its last columns
        assertThat(singular(22)).isNotEmpty(); // which is why there are 20 at most
    }

    /// The lost blocks that some parity cells of a stripe do not make.
    private static List<Integer> singular(int blocks) {
        for (int cells = 1; cells < 1 << ErasureCode.MOST_PARITY; cells++) {
            int those = cells;
            var parity = IntStream.range(0, ErasureCode.MOST_PARITY)
                    .filter(j -> (those >> j & 1) != 0)
                    .map(j -> blocks + j)
                    .boxed()
                    .toList();
            var all = CodeMatrix.rows(blocks, parity).values();
            for (var lost : choices(blocks, parity.size())) {
                var square = Arrays.stream(all)
                        .map(row -> lost.stream().mapToInt(block -> row[block]).toArray())
                        .toArray(int[][]::new);
                if (determinant(square) == 0) {
                    return lost;
                }
            }
        }
        return List.of();
    }

    /// By its first row.
    private static int determinant(int[][] square) {
        if (square.length == 1) {
            return square[0][0];
        }
        int sum = 0;
        for (int column = 0; column < square.length; column++) {
            int without = column;
            var rest = Arrays.stream(square)
                    .skip(1)
                    .map(row -> IntStream.range(0, row.length)
                            .filter(i -> i != without)
                            .map(i -> row[i])
                            .toArray())
                    .toArray(int[][]::new);
            sum ^= product(square[0][column], determinant(rest));
        }
        return sum;
    }

    private static List<List<Integer>> choices(int of, int number) {
        if (number == 0) {
            return List.of(List.of());
        }
        var all = new ArrayList<List<Integer>>();
        for (int last = number - 1; last < of; last++) {
            for (var others : choices(last, number - 1)) {
                var choice = new ArrayList<>(others);
                choice.add(last);
                all.add(choice);
            }
        }
        return all;
    }

    @Test
    void whatIsNoStripeIsRefused() {
        var cells = new StripeEncoder(new ErasureCode(3, 1));
        assertThat(cells.room()).isEqualTo(BlockSums.BLOCK);
        assertThatThrownBy(() -> cells.add(ByteBuffer.allocate(BlockSums.BLOCK + 1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(cells::endBlock).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> cells.copy(0, 0, ByteBuffer.allocate(0))).isInstanceOf(IllegalStateException.class);
        cells.add(ByteBuffer.allocate(BlockSums.BLOCK));
        cells.endBlock();
        assertThatThrownBy(cells::endBlock).isInstanceOf(IllegalStateException.class);
        cells.add(ByteBuffer.allocate(10));
        assertThatThrownBy(() -> cells.copy(0, 0, ByteBuffer.allocate(1))).isInstanceOf(IllegalStateException.class);
        cells.endBlock();
        assertThat(cells.room()).as("behind a short block").isZero();
        assertThatThrownBy(() -> cells.add(ByteBuffer.allocate(1))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> cells.copy(0, 1, ByteBuffer.allocate(BlockSums.BLOCK)))
                .isInstanceOf(IndexOutOfBoundsException.class);
        cells.clear();
        for (int i = 0; i < 3; i++) {
            cells.add(ByteBuffer.allocate(BlockSums.BLOCK));
            cells.endBlock();
        }
        assertThat(cells.room()).as("behind the last block").isZero();
    }

    @Test
    void whatDoesNotMakeACellIsRefused() {
        var code = new ErasureCode(3, 2);
        for (var from : List.of(List.of(1), List.of(1, 1), List.of(0, 2), List.of(0, 5), List.of(0, 1, 3))) {
            assertThatThrownBy(() -> new StripeDecoder(code, 2, from, List.of(1)))
                    .as("of %s", from)
                    .isInstanceOfAny(IllegalArgumentException.class, IndexOutOfBoundsException.class);
        }
        for (var wanted : List.of(List.<Integer>of(), List.of(2), List.of(-1), List.of(5))) {
            assertThatThrownBy(() -> new StripeDecoder(code, 2, List.of(0, 3), wanted))
                    .as("%s", wanted)
                    .isInstanceOfAny(IllegalArgumentException.class, IndexOutOfBoundsException.class);
        }
        var decoder = new StripeDecoder(code, 2, List.of(0, 1), List.of(3, 4));
        assertThat(decoder.from()).containsExactly(0, 1);
        requireRefused(decoder, List.of(10), List.of(10, 10));
        requireRefused(decoder, List.of(10, 10), List.of(10));
        requireRefused(decoder, List.of(9, 10), List.of(10, 10));
        requireRefused(decoder, List.of(10, 10), List.of(10, 9));
        decoder.decode(buffers(List.of(10, 9)), buffers(List.of(10, 10))); // the last block ends before
    }

    private static void requireRefused(StripeDecoder decoder, List<Integer> from, List<Integer> into) {
        var given = buffers(from);
        assertThatThrownBy(() -> decoder.decode(given, buffers(into))).isInstanceOf(IllegalArgumentException.class);
        assertThat(given.stream().map(ByteBuffer::remaining)).isEqualTo(from);
    }

    private static List<ByteBuffer> buffers(List<Integer> lengths) {
        return lengths.stream().map(ByteBuffer::allocate).toList();
    }

    /// A short stripe has no cells at some positions: they are not read.
    @Test
    void aDecoderReadsThePositionsThatHaveCells() {
        var layout = new SliceLayout(new ErasureCode(4, 2), 5L * BlockSums.BLOCK + 1);
        assertThat(StripeDecoder.of(layout, 0, List.of(5, 3, 2, 1, 0), List.of(4))
                        .from())
                .containsExactly(5, 3, 2, 1);
        assertThat(StripeDecoder.of(layout, 1, List.of(3, 2, 5, 0, 4), List.of(1))
                        .from())
                .containsExactly(5, 0);
        assertThatThrownBy(() -> StripeDecoder.of(layout, 1, List.of(3, 2, 5), List.of(1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void codesAreWrittenAsDataPlusParity() {
        assertThat(ErasureCode.parse("4+2")).isEqualTo(new ErasureCode(4, 2)).hasToString("4+2");
        for (var text : List.of("", "4", "4+", "+2", "4+2+1", "1+1", "21+1", "4+0", "4+5", "4 + 2", "99999+1")) {
            assertThatThrownBy(() -> ErasureCode.parse(text))
                    .as(text)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("erasure code");
        }
    }
}
