package dev.sluice.backend;

import dev.sluice.common.http.ByteSource;
import java.io.IOException;
import java.nio.ByteBuffer;

/// For objects whose backend tells no checksum: at least no byte may be missing or too many.
final class LengthCheckedSource implements ByteSource {
    private final ByteSource source;
    private final long size;
    private long count;

    LengthCheckedSource(ByteSource source, long size) {
        this.source = source;
        this.size = size;
    }

    @Override
    public ByteBuffer next() throws IOException {
        var bytes = source.next();
        count += bytes.remaining();
        if (bytes.hasRemaining() ? count > size : count != size) {
            throw new BackendMismatch(count + " bytes came, the backend says " + size);
        }
        return bytes;
    }

    @Override
    public void close() {
        source.close();
    }
}
