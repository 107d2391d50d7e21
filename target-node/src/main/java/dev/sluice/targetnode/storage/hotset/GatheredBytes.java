package dev.sluice.targetnode.storage.hotset;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;

/// The bytes of an object of which only a slice is in the file here, from wherever its slices are.
public interface GatheredBytes extends AutoCloseable {
    /// Which bytes will be read, where they are not all.
    void expect(long from, long to);

    /// Brings the bytes at an offset. Never blocks; completes exceptionally when that cannot be done.
    CompletionStage<?> prepare(long offset);

    /// Fills a buffer with bytes that are compared with their sums. Never blocks; one at a time.
    CompletionStage<?> fetch(long offset, ByteBuffer into);

    /// How short the memory is that it takes: see [dev.sluice.common.http.FileSource#shortage].
    double shortage();

    /// Never blocks. What is under way ends with a failure.
    @Override
    void close();
}
