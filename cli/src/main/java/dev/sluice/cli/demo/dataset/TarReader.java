package dev.sluice.cli.demo.dataset;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Optional;

/// Reads a ustar archive as it streams in, one file at a time. A stream that ends before the archive's end mark is an
/// error, never a shorter archive. One thread at a time.
public final class TarReader implements Closeable {
    private static final long LARGEST_FILE = 64L << 20;

    private final InputStream in;

    public TarReader(InputStream in) {
        this.in = in;
    }

    /// One file of the archive.
    public record Entry(String name, Bytes content) {}

    /// The next file; empty at the end, after the stream was read to its last byte.
    public Optional<Entry> next() throws IOException {
        byte[] block = exactly(TarHeader.BLOCK);
        if (isZero(block)) {
            in.transferTo(OutputStream.nullOutputStream());
            return Optional.empty();
        }
        TarHeader header = TarHeader.decode(block);
        if (header.size() > LARGEST_FILE) {
            throw new IOException(header.name() + " has " + header.size() + " bytes: no record is that large");
        }
        var content = new Bytes(exactly((int) header.size()));
        exactly(header.padding());
        return Optional.of(new Entry(header.name(), content));
    }

    @Override
    public void close() throws IOException {
        in.close();
    }

    private byte[] exactly(int count) throws IOException {
        byte[] bytes = in.readNBytes(count);
        if (bytes.length < count) {
            throw new EOFException("the archive ends " + (count - bytes.length) + " bytes too early");
        }
        return bytes;
    }

    private static boolean isZero(byte[] block) {
        for (byte each : block) {
            if (each != 0) {
                return false;
            }
        }
        return true;
    }
}
