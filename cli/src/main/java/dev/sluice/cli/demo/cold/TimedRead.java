package dev.sluice.cli.demo.cold;

import dev.sluice.cli.demo.dataset.ShardStore;
import dev.sluice.cli.demo.reading.MeasuredStream;
import java.io.IOException;
import java.util.zip.CRC32C;

/// One object read to its end: milliseconds from the request to the first and to the last byte.
record TimedRead(double firstByte, double lastByte) {
    private static final int BUFFER = 256 << 10;

    /// Fails if the bytes are not those that were stored.
    static TimedRead of(ShardStore store, RandomObjects objects, String key) throws IOException {
        long began = System.nanoTime();
        try (var stream = new MeasuredStream(store.open(key))) {
            var checksum = new CRC32C();
            var buffer = new byte[BUFFER];
            for (int read = stream.read(buffer); read >= 0; read = stream.read(buffer)) {
                checksum.update(buffer, 0, read);
            }
            long ended = System.nanoTime();
            if (stream.bytes() != objects.size() || checksum.getValue() != objects.checksum(key)) {
                throw new IOException(key + ": the " + stream.bytes() + " bytes read are not those that were stored");
            }
            return new TimedRead((stream.firstByteNanos() - began) / 1e6, (ended - began) / 1e6);
        }
    }
}
