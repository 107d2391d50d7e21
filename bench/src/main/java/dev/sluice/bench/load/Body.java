package dev.sluice.bench.load;

import dev.sluice.common.auth.SigV4Signer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Random;
import java.util.zip.CRC32C;

/// The one body all objects of a run have: random bytes from a seed, in direct memory once, sent without copying.
public final class Body {
    private final ByteBuf bytes;
    private final long crc32c;

    private Body(ByteBuf bytes) {
        this.bytes = bytes;
        var crc = new CRC32C();
        crc.update(bytes.nioBuffer());
        this.crc32c = crc.getValue();
    }

    public static Body random(long seed, long size) {
        if (size > 1 << 30) {
            throw new IllegalArgumentException("a body of " + size + " bytes: at most 1 GiB");
        }
        var piece = new byte[(int) Math.min(size, 1 << 20)];
        var random = new Random(seed);
        ByteBuf bytes = Unpooled.directBuffer((int) size, (int) size);
        while (bytes.isWritable()) {
            random.nextBytes(piece);
            bytes.writeBytes(piece, 0, Math.min(piece.length, bytes.writableBytes()));
        }
        return new Body(bytes);
    }

    public int length() {
        return bytes.readableBytes();
    }

    long crc32c() {
        return crc32c;
    }

    String sha256() {
        return SigV4Signer.hash(ByteBufUtil.getBytes(bytes));
    }

    /// To be written once, which releases it.
    ByteBuf toSend() {
        return bytes.retainedDuplicate();
    }
}
