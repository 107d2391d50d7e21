package dev.sluice.backend;

import dev.sluice.common.http.ByteSource;
import dev.sluice.common.store.StoreException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Optional;

/// A body on its way to a cloud's client, which reads it as an [InputStream], whole or in parts. Remembers whether a
/// part was begun (then nothing may be repeated) and whether it was the body that failed and not the cloud.
public final class SourceStream extends InputStream {
    private final ByteSource source;
    private ByteBuffer current = ByteBuffer.allocate(0);
    private long left;
    private boolean begun;
    private long count;
    private Optional<IOException> failure = Optional.empty();
    private Optional<StoreException> refusal = Optional.empty();

    public SourceStream(ByteSource source) {
        this.source = source;
    }

    /// Ends the stream after the next `length` bytes, until called again. Fewer are a failure of the body.
    public void part(long length) {
        left = length;
        begun = false;
    }

    /// True once a byte of the part was asked for.
    public boolean begun() {
        return begun;
    }

    /// Bytes read so far, of all parts.
    public long count() {
        return count;
    }

    /// What a cloud's client threw while it read this: IncompleteBody when the sender of the body broke off, BadDigest
    /// when a checked body was not what its checksum said, and what the body itself threw with a meaning of its own
    /// (a drive that failed, a damaged part), however the client wrapped that.
    public RuntimeException explain(RuntimeException thrown) {
        if (refusal.isPresent()) {
            return refusal.get();
        }
        return failure.<RuntimeException>map(this::meaning).orElse(thrown);
    }

    /// Reads on to the body's end, where a checked body says whether it was the right one.
    public void end() throws IOException {
        try {
            if (current.hasRemaining() || source.next().hasRemaining()) {
                throw new IOException("more bytes than promised");
            }
        } catch (IOException e) {
            failure = Optional.of(e);
            throw e;
        }
    }

    private StoreException meaning(IOException cause) {
        if (cause instanceof BackendMismatch mismatch) {
            return new StoreException.BadDigest(mismatch.says());
        }
        var meaning = new StoreException.IncompleteBody(
                "the body broke off after " + count + " bytes: " + cause.getMessage());
        meaning.initCause(cause);
        return meaning;
    }

    @Override
    public int read() throws IOException {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (left == 0) {
            return -1;
        }
        begun = true;
        if (!current.hasRemaining()) {
            fill();
        }
        int taken = (int) Math.min(left, Math.min(length, current.remaining()));
        current.get(into, offset, taken);
        count += taken;
        left -= taken;
        return taken;
    }

    private void fill() throws IOException {
        try {
            current = source.next();
            if (!current.hasRemaining()) {
                throw new EOFException(left + " bytes short");
            }
        } catch (IOException e) {
            failure = Optional.of(e);
            throw e;
        } catch (StoreException e) {
            refusal = Optional.of(e);
            throw e;
        }
    }
}
