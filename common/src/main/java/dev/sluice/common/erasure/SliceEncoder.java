package dev.sluice.common.erasure;

import dev.sluice.common.checksum.BlockSummer;
import dev.sluice.common.checksum.BlockSums;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Divides an object into its slices while its bytes come, one after the other, in pieces of any size. Takes 1 MiB of
/// memory for each parity slice, whatever the object's size is. For one thread at a time.
public final class SliceEncoder {
    private static final int BLOCK = BlockSums.BLOCK;
    private static final int PIECE = 256 << 10;

    /// Takes the bytes of slices.
    public interface Slices {
        /// @param offset in the position's slice; each slice's bytes come one after the other
        /// @param bytes to be consumed
        void write(int position, long offset, ByteBuffer bytes) throws IOException;
    }

    private final ErasureCode code;
    private final StripeEncoder stripe;
    private final BlockSummer[] parity;
    private long size;

    public SliceEncoder(ErasureCode code) {
        this.code = code;
        this.stripe = new StripeEncoder(code);
        this.parity = Stream.generate(BlockSummer::new).limit(code.parity()).toArray(BlockSummer[]::new);
    }

    /// Takes the next bytes of the object, all that remain in the buffer.
    public void add(ByteBuffer bytes, Slices slices) throws IOException {
        while (bytes.hasRemaining()) {
            long block = size / BLOCK;
            int within = (int) (size % BLOCK);
            int count = Math.min(bytes.remaining(), BLOCK - within);
            var piece = bytes.slice(bytes.position(), count);
            slices.write(code.position(block), code.stripe(block) * BLOCK + within, piece.duplicate());
            stripe.add(piece);
            bytes.position(bytes.position() + count);
            size += count;
            if (within + count == BLOCK) {
                endBlock(slices);
            }
        }
    }

    private void endBlock(Slices slices) throws IOException {
        stripe.endBlock();
        if (stripe.blocks() == code.data()) {
            endStripe(slices);
        }
    }

    /// Writes the parity of the stripe whose last block has ended.
    private void endStripe(Slices slices) throws IOException {
        long begin = code.stripe((size - 1) / BLOCK) * BLOCK;
        var bytes = ByteBuffer.allocate(Math.min(PIECE, stripe.length()));
        for (int j = 0; j < parity.length; j++) {
            for (int at = 0; at < stripe.length(); at += PIECE) {
                bytes.clear().limit(Math.min(PIECE, stripe.length() - at));
                stripe.copy(j, at, bytes);
                parity[j].update(begin + at, bytes.flip());
                slices.write(code.data() + j, begin + at, bytes);
            }
        }
        stripe.clear();
    }

    /// Says that the object has ended. To be called once.
    public void end(Slices slices) throws IOException {
        if (size % BLOCK > 0) {
            stripe.endBlock();
        }
        if (stripe.blocks() > 0) {
            endStripe(slices);
        }
    }

    /// The sums of all parity cells once the object has ended: those of the first stripe, then of the next.
    public BlockSums paritySums() {
        var layout = new SliceLayout(code, size);
        var sums = IntStream.range(0, parity.length)
                .mapToObj(j -> parity[j].finish(layout.sliceSize(code.data() + j)))
                .toList();
        return BlockSums.of(IntStream.range(0, layout.stripes() * parity.length)
                .map(i -> sums.get(i % parity.length).get(i / parity.length))
                .toArray());
    }

    /// The same of an object of one block or none, whose parity cells are all like it.
    public static BlockSums paritySums(ErasureCode code, BlockSums blocks) {
        if (blocks.count() > 1) {
            throw new IllegalArgumentException(blocks + " are more than one block");
        }
        return BlockSums.of(IntStream.range(0, blocks.count() * code.parity())
                .map(_ -> blocks.get(0))
                .toArray());
    }
}
