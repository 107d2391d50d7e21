package dev.sluice.common.samples;

import dev.sluice.common.http.ByteSink;
import java.io.IOException;
import java.nio.ByteBuffer;

/// Frames on their way to whoever asked, each together with the first bytes that follow it: one write instead of two.
public final class FramedSink implements SampleSink {
    private final ByteSink out;
    private ByteBuffer header = ByteBuffer.allocate(0);

    public FramedSink(ByteSink out) {
        this.out = out;
    }

    /// One that bytes follow is sent with them.
    @Override
    public void frame(SampleFrame frame) throws IOException {
        if (header.hasRemaining()) {
            throw new IllegalStateException("no bytes came after a frame that has some");
        }
        header = frame.encode();
        if (frame.length() == 0) {
            out.write(header);
        }
    }

    @Override
    public ByteSink bytes() {
        return body;
    }

    private final ByteSink body = new ByteSink() {
        @Override
        public void write(ByteBuffer bytes) throws IOException {
            if (header.hasRemaining()) {
                out.write(header);
            }
            out.write(bytes);
        }

        // When the bytes cannot be read, the frame is not sent either.
        @Override
        public int write(int most, Content content) throws IOException {
            if (!header.hasRemaining()) {
                return out.write(most, content);
            }
            int length = header.remaining();
            int sent = out.write(length + most, into -> {
                var first = header.duplicate();
                first.limit(first.position() + Math.min(length, into.remaining()));
                into.put(first);
                if (into.hasRemaining()) {
                    content.read(into);
                }
            });
            int ofHeader = Math.min(length, sent);
            header.position(header.position() + ofHeader);
            return sent - ofHeader;
        }
    };
}
