package dev.sluice.common.erasure;

import dev.sluice.common.checksum.BlockSums;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;

/// Makes the parity cells of one stripe while its blocks arrive, one after the other, in pieces of any size.
///
/// With m blocks, parity cell j is the sum of 2^(j · (m - 1 - i)) · block i (in [GaloisField]), by Horner's rule: for
/// each block what there is so far times 2^j, plus the block. A last block that is shorter ends in zeros. The cells of
/// whole blocks take 1 MiB each. For one thread.
public final class StripeEncoder {
    private static final int BLOCK = BlockSums.BLOCK;
    /// The bytes that are taken at once, and one chunk of each cell, stay in the processor's cache.
    private static final int CHUNK = 16 << 10;

    private static final int VALUES = CHUNK / Long.BYTES;

    private final ErasureCode code;
    private final long[][][] cells;
    private final ByteBuffer gathered = ByteBuffer.allocate(CHUNK).order(ByteOrder.nativeOrder());
    private final long[] values = new long[VALUES];
    private int blocks;
    private int length;
    private int done;
    private boolean last;

    public StripeEncoder(ErasureCode code) {
        this.code = code;
        this.cells = new long[code.parity()][BLOCK / CHUNK][];
    }

    /// The number of bytes that the block which arrives can still have; 0 where the stripe has all its blocks.
    public int room() {
        if (last || blocks == code.data()) {
            return 0;
        }
        return (blocks == 0 ? BLOCK : length) - blockLength();
    }

    /// The number of bytes that have arrived of the block which arrives.
    private int blockLength() {
        return done + gathered.position();
    }

    /// Takes the next bytes of the block that arrives, all that remain in the buffer.
    ///
    /// @throws IllegalArgumentException when the block has no room for them
    public void add(ByteBuffer bytes) {
        if (bytes.remaining() > room()) {
            throw new IllegalArgumentException(
                    "%d bytes for block %d, which has room for %d".formatted(bytes.remaining(), blocks, room()));
        }
        while (bytes.hasRemaining()) {
            int count = Math.min(bytes.remaining(), gathered.remaining());
            gathered.put(gathered.position(), bytes, bytes.position(), count);
            gathered.position(gathered.position() + count);
            bytes.position(bytes.position() + count);
            if (!gathered.hasRemaining()) {
                take();
            }
        }
    }

    /// Takes what is gathered: a whole chunk, or less at the end of a block.
    private void take() {
        int bytes = gathered.position();
        int count = Math.ceilDiv(bytes, Long.BYTES);
        while (gathered.position() < count * Long.BYTES) {
            gathered.put((byte) 0);
        }
        gathered.flip().asLongBuffer().get(values, 0, count);
        gathered.clear();
        for (int j = 0; j < cells.length; j++) {
            var chunk = chunk(j, done / CHUNK);
            if (blocks == 0) {
                System.arraycopy(values, 0, chunk, 0, count);
            } else {
                GaloisField.multiplyAndAdd(chunk, j, values, count);
            }
        }
        done += bytes;
    }

    private long[] chunk(int parity, int number) {
        var chunk = cells[parity][number];
        if (chunk == null) {
            chunk = new long[VALUES];
            cells[parity][number] = chunk;
        }
        return chunk;
    }

    /// Says that the block has ended; the next bytes are of the next one. One that is shorter than the first is the
    /// stripe's last one.
    ///
    /// @throws IllegalStateException when nothing has arrived of it
    public void endBlock() {
        if (blockLength() == 0) {
            throw new IllegalStateException("nothing has arrived of block " + blocks);
        }
        if (gathered.position() > 0) {
            take();
        }
        if (blocks == 0) {
            length = done;
        }
        last = done < length;
        for (int j = 0; j < cells.length; j++) {
            endWithZeros(j);
        }
        blocks++;
        done = 0;
    }

    private void endWithZeros(int parity) {
        int from = Math.ceilDiv(done, Long.BYTES);
        int to = Math.ceilDiv(length, Long.BYTES);
        for (int at = from; at < to; ) {
            int number = at / VALUES;
            int end = Math.min(to, (number + 1) * VALUES);
            GaloisField.multiply(chunk(parity, number), at % VALUES, end - number * VALUES, parity);
            at = end;
        }
    }

    /// The number of blocks that have ended.
    public int blocks() {
        return blocks;
    }

    /// The length of each parity cell: that of the first block, once it has ended.
    public int length() {
        return length;
    }

    /// Fills a buffer with the bytes of a parity cell from an offset on.
    ///
    /// @throws IllegalStateException while a block arrives, and before the first one has
    /// @throws IndexOutOfBoundsException when the cell has fewer bytes
    public void copy(int parity, int offset, ByteBuffer into) {
        if (blocks == 0 || blockLength() > 0) {
            throw new IllegalStateException("block %d has not ended".formatted(blocks));
        }
        Objects.checkFromIndexSize(offset, into.remaining(), length);
        var bytes = ByteBuffer.allocate(CHUNK).order(ByteOrder.nativeOrder());
        for (int at = offset; into.hasRemaining(); ) {
            bytes.asLongBuffer().put(chunk(parity, at / CHUNK));
            int count = Math.min(CHUNK - at % CHUNK, into.remaining());
            into.put(into.position(), bytes, at % CHUNK, count);
            into.position(into.position() + count);
            at += count;
        }
    }

    /// Begins another stripe.
    public void clear() {
        blocks = 0;
        length = 0;
        done = 0;
        last = false;
        gathered.clear();
    }
}
