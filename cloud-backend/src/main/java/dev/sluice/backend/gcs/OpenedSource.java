package dev.sluice.backend.gcs;

import dev.sluice.common.http.ByteSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// A body whose first bytes are already here. Google's reader makes its request with the first read; having that done
/// inside the call makes a refusal the call's failure instead of a broken stream.
final class OpenedSource implements ByteSource {
    private final ByteSource source;
    private @Nullable ByteBuffer first;

    OpenedSource(ByteSource source) throws IOException {
        this.source = source;
        this.first = source.next();
    }

    @Override
    public ByteBuffer next() throws IOException {
        if (first != null) {
            var bytes = first;
            first = null;
            return bytes;
        }
        return source.next();
    }

    @Override
    public void close() {
        first = null;
        source.close();
    }
}
