package dev.sluice.common.samples;

import dev.sluice.common.http.ByteSink;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.http.ResponseBody;
import java.io.IOException;

/// A batch's frames from one target, in the batch's order. For one thread at a time.
public interface SampleStream extends AutoCloseable {
    /// Begins to look for the first samples, before they are asked for.
    default void start() {}

    /// Whether [#next] does not wait for long.
    default boolean isReady() {
        return true;
    }

    /// Instead of [#close], when all samples were taken: what it is made of may be used again.
    default void finish() {
        close();
    }

    /// The next frame. Blocks, for 5 s about: when nothing is ready then, it is of [SampleFrame.Kind#WAITING].
    ///
    /// @throws IOException when the target, or the way to it, has failed
    SampleFrame next() throws IOException;

    /// Sends the bytes of the last frame; once after each.
    ///
    /// @param skip how many of them are not sent
    /// @throws Broken when not all of them came; any other failure is the receiver's
    void send(long skip, ByteSink to) throws IOException;

    /// All of its frames, as an answer's body.
    default ResponseBody body() {
        return new ResponseBody.Streamed(RequestHead.UNKNOWN_LENGTH, sink -> {
            try (this) {
                var framed = new FramedSink(sink);
                SampleFrame frame;
                do {
                    frame = next();
                    framed.frame(frame);
                    send(0, framed.bytes());
                } while (frame.kind() != SampleFrame.Kind.END);
            }
        });
    }

    /// Never throws.
    @Override
    void close();

    /// A stream that has ended before its frames did.
    final class Broken extends IOException {
        public Broken(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
