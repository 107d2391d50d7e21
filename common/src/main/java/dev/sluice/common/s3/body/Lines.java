package dev.sluice.common.s3.body;

import dev.sluice.common.http.ByteSource;
import dev.sluice.common.s3.S3Code;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.store.StoreException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/// Reads lines and runs of bytes from a source whose buffers may be cut anywhere.
final class Lines implements AutoCloseable {
    private final ByteSource raw;
    private ByteBuffer current = ByteBuffer.allocate(0);

    Lines(ByteSource raw) {
        this.raw = raw;
    }

    /// A line without its CRLF; a lone LF ends one too, as in Amazon's grammar of trailers.
    String read(int longest) throws IOException {
        var line = new StringBuilder(96);
        while (true) {
            char c = (char) (one() & 0xFF);
            if (c == '\n') {
                boolean crlf = !line.isEmpty() && line.charAt(line.length() - 1) == '\r';
                return line.substring(0, crlf ? line.length() - 1 : line.length());
            }
            if (line.length() >= longest) {
                throw new S3Failure(
                        S3Code.INVALID_REQUEST, "A line of the body's framing is longer than " + longest + " bytes.");
            }
            line.append(c);
        }
    }

    /// At least one byte and at most so many: a slice of the source's buffer.
    ByteBuffer take(long most) throws IOException {
        fill();
        int length = (int) Math.min(most, current.remaining());
        var slice = current.slice(current.position(), length);
        current.position(current.position() + length);
        return slice;
    }

    void expectLineEnd() throws IOException {
        if (one() != '\r' || one() != '\n') {
            throw new S3Failure(S3Code.INVALID_REQUEST, "A chunk is longer than its header says.");
        }
    }

    void expectEnd() throws IOException {
        if (current.hasRemaining() || raw.next().hasRemaining()) {
            throw new S3Failure(S3Code.INVALID_REQUEST, "The body goes on after its last chunk.");
        }
    }

    private byte one() throws IOException {
        fill();
        return current.get();
    }

    private void fill() throws IOException {
        if (!current.hasRemaining()) {
            // Of the source's buffers only the position of our own view moves.
            current = raw.next().duplicate();
            if (!current.hasRemaining()) {
                throw new StoreException.IncompleteBody(
                        "The body ended in the middle of a chunk or before the last one");
            }
        }
    }

    /// Keeps the buffer that the last slice is of.
    Optional<ByteSource.Kept> keep() {
        return raw.keep();
    }

    @Override
    public void close() {
        raw.close();
    }
}
