package dev.sluice.cli.demo.reading;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/// Counts the bytes that pass, and notes when the first of them came. One thread at a time.
final class MeasuredStream extends FilterInputStream {
    private long bytes;
    private long firstByteNanos;

    MeasuredStream(InputStream in) {
        super(in);
    }

    long bytes() {
        return bytes;
    }

    /// On the clock of `System.nanoTime`; only once bytes have come.
    long firstByteNanos() {
        return firstByteNanos;
    }

    @Override
    public int read() throws IOException {
        int read = super.read();
        passed(read < 0 ? 0 : 1);
        return read;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        int read = super.read(into, offset, length);
        passed(Math.max(read, 0));
        return read;
    }

    private void passed(int count) {
        if (count > 0 && bytes == 0) {
            firstByteNanos = System.nanoTime();
        }
        bytes += count;
    }
}
