package dev.sluice.common.http;

import java.io.IOException;
import java.nio.ByteBuffer;

/// Bytes pulled by the thread that wants them; not pulling is the back-pressure. One thread at a time.
public interface ByteSource extends AutoCloseable {
    /// The next bytes, blocking until there are some. A buffer with nothing remaining means the end.
    /// The buffer is the caller's only until it calls `next` or `close` again.
    ///
    /// @throws IOException when the sender broke off or what it sent is malformed
    ByteBuffer next() throws IOException;

    /// Gives up what was not read. Never throws.
    @Override
    void close();

    static ByteSource empty() {
        return of(ByteBuffer.allocate(0));
    }

    static ByteSource of(ByteBuffer bytes) {
        return new ByteSource() {
            private ByteBuffer left = bytes;

            @Override
            public ByteBuffer next() {
                var now = left;
                left = ByteBuffer.allocate(0);
                return now;
            }

            @Override
            public void close() {}
        };
    }
}
