package dev.sluice.cli.demo.dataset;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;

/// Writes a ustar archive, file after file. The same files give the same bytes. One thread at a time.
public final class TarWriter implements Closeable {
    private final OutputStream out;

    public TarWriter(OutputStream out) {
        this.out = out;
    }

    public void add(String name, Bytes content) throws IOException {
        var header = new TarHeader(name, content.length());
        out.write(header.encode());
        content.writeTo(out);
        out.write(new byte[header.padding()]);
    }

    /// Two blocks of zeros say that the archive is complete.
    @Override
    public void close() throws IOException {
        try (out) {
            out.write(new byte[2 * TarHeader.BLOCK]);
        }
    }
}
