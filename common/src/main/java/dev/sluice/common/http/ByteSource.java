package dev.sluice.common.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/// Bytes pulled by the thread that wants them; not pulling is the back-pressure. One thread at a time.
public interface ByteSource extends AutoCloseable {
    /// The next bytes, blocking until there are some. A buffer with nothing remaining means the end.
    /// The buffer is the caller's only until it calls `next` or `close` again.
    ///
    /// @throws IOException when the sender broke off or what it sent is malformed
    ByteBuffer next() throws IOException;

    /// Bytes that stay as they are beyond the next call of `next` or `close`, until they are released: once, on
    /// any thread.
    @FunctionalInterface
    interface Kept {
        void release();
    }

    /// Keeps the bytes of the last buffer. On the thread that pulls.
    ///
    /// @return empty when this source cannot keep any, or there is no memory for more now: then they must be used
    /// before the next call
    default Optional<Kept> keep() {
        return Optional.empty();
    }

    /// Whether its sender has gone, as far as is known: nobody waits for what becomes of it. On any thread.
    default boolean abandoned() {
        return false;
    }

    /// From now until the next pull its sender is asked for no more than has been read from it: the pull may come late.
    /// On the thread that pulls.
    default void holdBack() {}

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
