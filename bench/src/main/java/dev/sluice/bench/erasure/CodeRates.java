package dev.sluice.bench.erasure;

import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.erasure.ErasureCode;
import dev.sluice.common.erasure.SliceLayout;
import dev.sluice.common.erasure.StripeDecoder;
import dev.sluice.common.erasure.StripeEncoder;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Object bytes a second by one thread, whole stripes: parity made, and lost blocks made again; beside a coder that
/// looks each byte's product up in a table, as textbooks do. For `bench/erasure`: rounds, codes.
public final class CodeRates {
    private static final int BLOCK = BlockSums.BLOCK;
    private static final int PIECE = 64 << 10;
    private static final long TURN_NANOS = 1_000_000_000;

    private final ErasureCode code;
    private final List<byte[]> blocks = new ArrayList<>();
    private final StripeEncoder parity;
    private final StripeDecoder decoder;
    private final List<ByteBuffer> made;
    private final int lost;
    private final byte[][] tables;
    private final byte[][] cells;

    private CodeRates(ErasureCode code) {
        this.code = code;
        this.parity = new StripeEncoder(code);
        this.lost = Math.min(code.parity(), code.data());
        var layout = new SliceLayout(code, (long) code.data() * BLOCK);
        this.decoder = StripeDecoder.of(layout, 0, from(lost, code.slices()), from(0, lost));
        this.made = from(0, lost).stream().map(_ -> ByteBuffer.allocate(BLOCK)).toList();
        this.cells = new byte[code.parity()][BLOCK];
        var random = new Random(1);
        for (int i = 0; i < code.data(); i++) {
            var block = new byte[BLOCK];
            random.nextBytes(block);
            blocks.add(block);
        }
        this.tables = new byte[code.parity() * code.data()][];
        for (int i = 0; i < tables.length; i++) {
            tables[i] = products(i / code.data() * (code.data() - 1 - i % code.data()));
        }
    }

    /// Of each byte with 2^exponent.
    private static byte[] products(int exponent) {
        var table = new byte[256];
        for (int i = 0; i < table.length; i++) {
            int product = i;
            for (int k = 0; k < exponent; k++) {
                product = product << 1 ^ (product > 127 ? 0x11d : 0);
            }
            table[i] = (byte) product;
        }
        return table;
    }

    public static void main(String[] arguments) {
        int rounds = Integer.parseInt(arguments[0]);
        for (var code : Arrays.asList(arguments).subList(1, arguments.length)) {
            new CodeRates(ErasureCode.parse(code)).run(rounds);
        }
    }

    private void run(int rounds) {
        requireEqual();
        for (int round = 0; round <= rounds; round++) {
            double made = rate(this::encode);
            double looked = rate(this::lookUp);
            double mended = rate(this::mend);
            if (round > 0) { // the first one is not counted
                System.out.printf(
                        "%s, MiB of the object a second: parity %.0f, by tables %.0f (%.1f times as fast), %d lost blocks made again %.0f%n",
                        code, made, looked, made / looked, lost, mended);
            }
        }
    }

    private double rate(Runnable stripe) {
        long begun = System.nanoTime();
        long now = begun;
        int count = 0;
        while (now - begun < TURN_NANOS) {
            stripe.run();
            count++;
            now = System.nanoTime();
        }
        return (double) count * code.data() / ((now - begun) / 1e9);
    }

    private void encode() {
        parity.clear();
        for (var block : blocks) {
            for (int at = 0; at < BLOCK; at += PIECE) {
                parity.add(ByteBuffer.wrap(block, at, PIECE));
            }
            parity.endBlock();
        }
    }

    private void lookUp() {
        for (int j = 0; j < cells.length; j++) {
            var cell = cells[j];
            Arrays.fill(cell, (byte) 0);
            for (int i = 0; i < code.data(); i++) {
                var table = tables[j * code.data() + i];
                var block = blocks.get(i);
                for (int at = 0; at < BLOCK; at++) {
                    cell[at] ^= table[block[at] & 0xff];
                }
            }
        }
    }

    private void requireEqual() {
        encode();
        lookUp();
        for (int j = 0; j < cells.length; j++) {
            var cell = ByteBuffer.allocate(BLOCK);
            parity.copy(j, 0, cell);
            if (!Arrays.equals(cell.array(), cells[j])) {
                throw new IllegalStateException("the two coders make different parity");
            }
        }
        mend();
        for (int i = 0; i < lost; i++) {
            if (!Arrays.equals(made.get(i).array(), blocks.get(i))) {
                throw new IllegalStateException("a lost block is made wrong");
            }
        }
    }

    private static List<Integer> from(int first, int end) {
        return IntStream.range(first, end).boxed().toList();
    }

    /// The first blocks, of the others and of parity.
    private void mend() {
        made.forEach(ByteBuffer::clear);
        var bytes = Stream.concat(blocks.stream(), Arrays.stream(cells))
                .skip(lost)
                .limit(code.data())
                .map(ByteBuffer::wrap)
                .toList();
        decoder.decode(bytes, made);
    }
}
