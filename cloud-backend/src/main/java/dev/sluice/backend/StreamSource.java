package dev.sluice.backend;

import dev.sluice.common.http.ByteSource;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.function.LongConsumer;

/// The body of a cloud's answer. Ends only after exactly the promised bytes; what comes short is an [IOException].
public final class StreamSource implements ByteSource {
    private static final int CHUNK = 128 << 10;
    private static final ByteBuffer END = ByteBuffer.allocate(0);

    private final InputStream in;
    private final Ending ending;
    private final LongConsumer count;
    private final byte[] chunk;
    private long left;
    private boolean closed;

    /// What becomes of the connection; must not throw.
    @FunctionalInterface
    public interface Ending {
        /// @param clean true when the body was read to its end, so that the connection may serve again
        void end(boolean clean);
    }

    /// @param length how many bytes must come
    /// @param count told of every chunk's size
    public StreamSource(InputStream in, long length, LongConsumer count, Ending ending) {
        this.in = in;
        this.left = length;
        this.count = count;
        this.ending = ending;
        this.chunk = new byte[(int) Math.min(CHUNK, Math.max(1, length))];
    }

    @Override
    public ByteBuffer next() throws IOException {
        if (closed) {
            throw new IOException("the stream is closed");
        }
        if (left == 0) {
            return END;
        }
        int got = read((int) Math.min(chunk.length, left));
        if (got < 0) {
            throw new EOFException("the backend closed the connection " + left + " bytes before the end");
        }
        left -= got;
        count.accept(got);
        return ByteBuffer.wrap(chunk, 0, got);
    }

    private int read(int most) throws IOException {
        try {
            return in.read(chunk, 0, most);
        } catch (RuntimeException e) { // clients wrap some of a connection's failures
            throw new IOException("the backend broke off: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            ending.end(left == 0);
        }
    }
}
