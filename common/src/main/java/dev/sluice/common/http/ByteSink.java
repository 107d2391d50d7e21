package dev.sluice.common.http;

import java.io.IOException;
import java.nio.ByteBuffer;

/// Where a streamed body goes. `write` blocks while the receiver is slow, copies or sends the bytes before it returns,
/// and throws once the receiver is gone.
@FunctionalInterface
public interface ByteSink {
    /// Bytes that can be read when there is room for them.
    interface Content {
        /// Fills at least a part of the buffer, whose position tells how much.
        void read(ByteBuffer into) throws IOException;
    }

    void write(ByteBuffer bytes) throws IOException;

    /// Writes as many of these bytes as the receiver has room for: none are read before there is some.
    ///
    /// @return how many
    default int write(int most, Content content) throws IOException {
        var bytes = ByteBuffer.allocate(most);
        content.read(bytes);
        int read = bytes.position();
        write(bytes.flip());
        return read;
    }
}
