package dev.sluice.backend.memory;

import java.io.InputStream;
import java.nio.ByteBuffer;

/// Reads a buffer without copying all of it, and may lie about one byte.
final class BufferStream extends InputStream {
    private final ByteBuffer left;
    private final int lieAt;

    /// @param lieAt the place of the byte to change; negative for none
    BufferStream(ByteBuffer bytes, int lieAt) {
        this.left = bytes;
        this.lieAt = lieAt;
    }

    @Override
    public int read() {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) {
        if (!left.hasRemaining()) {
            return length == 0 ? 0 : -1;
        }
        int from = left.position();
        int taken = Math.min(length, left.remaining());
        left.get(into, offset, taken);
        if (lieAt >= from && lieAt < from + taken) {
            into[offset + lieAt - from] ^= 1;
        }
        return taken;
    }
}
