package dev.sluice.common.http;

import java.io.IOException;
import java.nio.ByteBuffer;

/// Where a streamed body goes. `write` blocks while the receiver is slow, copies or sends the bytes before it returns,
/// and throws once the receiver is gone.
@FunctionalInterface
public interface ByteSink {
    void write(ByteBuffer bytes) throws IOException;
}
