package dev.sluice.common.checksum;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/// The MD5 of one stream whose whole blocks are computed beside those of others. What does not fill a block waits here.
/// One buffer at a time.
final class LaneMd5 {
    private final Md5Batcher batcher;
    private final int[] state = Md5Block.initialState();
    private final byte[] partial = new byte[Md5Block.BYTES];
    private int inPartial;
    private long length;

    LaneMd5(Md5Batcher batcher) {
        this.batcher = batcher;
    }

    /// Takes in what remains in the buffer, whose position stays where it is.
    ///
    /// @return when the bytes are no longer needed; until then the next ones may not be added
    CompletableFuture<Void> add(ByteBuffer bytes) {
        var left = bytes.duplicate();
        length += left.remaining();
        if (inPartial > 0) {
            keep(left, Math.min(left.remaining(), Md5Block.BYTES - inPartial));
            if (inPartial == Md5Block.BYTES) {
                Md5Block.compress(state, partial);
                inPartial = 0;
            }
        }
        int whole = left.remaining() / Md5Block.BYTES * Md5Block.BYTES;
        var blocks = left.slice(left.position(), whole);
        left.position(left.position() + whole);
        keep(left, left.remaining());
        return whole == 0 ? CompletableFuture.completedFuture(null) : batcher.compress(state, blocks);
    }

    private void keep(ByteBuffer bytes, int count) {
        bytes.get(partial, inPartial, count);
        inPartial += count;
    }

    /// Ends the use of this object.
    byte[] value() {
        return Md5Block.padded(state, partial, inPartial, length);
    }
}
