package dev.sluice.common.http;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;

/// An open file whose bytes are handed over only as they were found good. What was prepared may leave the page cache
/// before it is sent; so each piece is asked for by [#copy] or [#send], and by [#fetch] when that says no.
public interface FileSource extends AutoCloseable {
    /// The engine asks for this much at most in one [#prepare].
    int WINDOW = 1 << 20;

    /// True when these bytes are verified and in memory. Never blocks.
    boolean ready(long offset, int length);

    /// Brings these bytes into the page cache and verifies them, on the drive's own threads. Never blocks; completes
    /// exceptionally when the bytes are bad or cannot be read.
    CompletionStage<?> prepare(long offset, int length);

    /// Fills a direct buffer with verified bytes that are in memory. Never blocks.
    ///
    /// @return false when they are not verified and in memory, or no longer; the buffer stays where it was
    boolean copy(long offset, ByteBuffer into);

    /// Hands verified bytes that are in memory to a socket, as many as it takes at once. Never blocks.
    ///
    /// @param socket the descriptor of one that does not block
    /// @return how many it took; 0 when they are not verified and in memory, or no longer
    long send(long offset, int length, int socket);

    /// Fills a direct buffer with bytes that are verified as they are read, on the drive's own threads, which use the
    /// buffer until it completes. Never blocks; completes exceptionally when the bytes are bad or cannot be read.
    CompletionStage<?> fetch(long offset, ByteBuffer into);

    /// How short what it holds is, besides the file: from 0 for plenty to 1 where others get none. The shorter it is,
    /// the sooner a client that takes nothing is cut off. Never blocks.
    default double shortage() {
        return 0;
    }

    /// Called once, when the engine is done with the file (sent, failed or connection lost). Never blocks.
    @Override
    void close();
}
