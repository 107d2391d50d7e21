package dev.sluice.common.http;

import java.nio.channels.FileChannel;
import java.util.concurrent.CompletionStage;

/// An open file whose bytes may be sent by the kernel once they are known good and in the page cache.
public interface FileSource extends AutoCloseable {
    /// The engine asks for this much at most in one [#prepare].
    int WINDOW = 1 << 20;

    FileChannel channel();

    /// True when these bytes are verified and can be sent without waiting for the drive. Never blocks.
    boolean ready(long offset, int length);

    /// Brings these bytes into the page cache and verifies them, on the drive's own threads. Never blocks; completes
    /// exceptionally when the bytes are bad or cannot be read, and then nothing of them may be sent.
    CompletionStage<?> prepare(long offset, int length);

    /// Called once, when the engine is done with the file (sent, failed or connection lost). Never blocks.
    @Override
    void close();
}
