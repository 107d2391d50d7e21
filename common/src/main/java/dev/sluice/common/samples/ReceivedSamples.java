package dev.sluice.common.samples;

import dev.sluice.common.http.ByteSink;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A stream that comes from another node.
public final class ReceivedSamples implements SampleStream {
    private static final Logger LOG = LoggerFactory.getLogger(ReceivedSamples.class);
    private static final int PIECE = 64 << 10;

    private final InputStream from;
    private final byte[] piece = new byte[PIECE];
    private long left;

    /// @param from ends with an exception when nothing comes for long
    public ReceivedSamples(InputStream from) {
        this.from = from;
    }

    @Override
    public boolean isReady() {
        try {
            return from.available() >= SampleFrame.LENGTH;
        } catch (IOException _) {
            return true; // the read says so, too
        }
    }

    /// The connection is kept when its answer was read to the end.
    @Override
    public void finish() {
        try {
            if (next().kind() == SampleFrame.Kind.END) {
                var _ = from.read();
            }
        } catch (IOException broken) {
            LOG.debug("a stream of samples has no end", broken);
        } finally {
            close();
        }
    }

    @Override
    public SampleFrame next() throws IOException {
        if (left > 0) {
            throw new IllegalStateException("bytes of the last frame are left");
        }
        try {
            var header = from.readNBytes(SampleFrame.LENGTH);
            if (header.length < SampleFrame.LENGTH) {
                throw new IOException("the stream has ended before its last frame");
            }
            var frame = SampleFrame.decode(ByteBuffer.wrap(header));
            left = frame.length();
            return frame;
        } catch (IOException failure) {
            throw broken(failure);
        }
    }

    private static Broken broken(IOException failure) {
        return failure instanceof Broken already ? already : new Broken(String.valueOf(failure.getMessage()), failure);
    }

    @Override
    public void send(long skip, ByteSink to) throws IOException {
        try {
            from.skipNBytes(skip);
        } catch (IOException failure) {
            throw broken(failure);
        }
        left -= skip;
        while (left > 0) {
            left -= to.write((int) Math.min(left, PIECE), this::read);
        }
    }

    private void read(ByteBuffer into) throws IOException {
        try {
            int wanted = Math.min(piece.length, into.remaining());
            if (from.readNBytes(piece, 0, wanted) < wanted) {
                throw new IOException("the stream has ended within a frame");
            }
            into.put(piece, 0, wanted);
        } catch (IOException failure) {
            throw broken(failure);
        }
    }

    @Override
    public void close() {
        try {
            from.close();
        } catch (IOException _) {
            // what it says, nobody waits for
        }
    }
}
