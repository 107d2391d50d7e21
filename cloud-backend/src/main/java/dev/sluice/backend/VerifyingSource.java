package dev.sluice.backend;

import dev.sluice.common.http.ByteSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/// Passes bytes on and digests them meanwhile; instead of the end there is a [BackendMismatch] when they are wrong. The
/// digest of a buffer is awaited before the next one is fetched, because that one may use the same memory.
final class VerifyingSource implements ByteSource {
    private final ByteSource source;
    private final BodyDigest digest;
    private final String expected;
    private final Executor executor;
    private CompletableFuture<?> pending = CompletableFuture.completedFuture(null);
    private boolean verified;

    VerifyingSource(ByteSource source, BodyDigest digest, String expected, Executor executor) {
        this.source = source;
        this.digest = digest;
        this.expected = expected;
        this.executor = executor;
    }

    @Override
    public ByteBuffer next() throws IOException {
        pending.join();
        var bytes = source.next();
        if (bytes.hasRemaining()) {
            var same = bytes.duplicate();
            pending = CompletableFuture.runAsync(() -> digest.update(same), executor);
        } else if (!verified) {
            var actual = digest.value();
            if (!actual.equals(expected)) {
                throw new BackendMismatch("the bytes' checksum is " + actual + " and not " + expected);
            }
            verified = true;
        }
        return bytes;
    }

    @Override
    public void close() {
        pending.join(); // the memory goes back with the source
        source.close();
    }
}
