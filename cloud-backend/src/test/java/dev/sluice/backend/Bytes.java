package dev.sluice.backend;

import dev.sluice.common.http.ByteSource;
import dev.sluice.common.s3.WriteAttributes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Bodies for tests.
final class Bytes {
    static final WriteAttributes PLAIN =
            new WriteAttributes(new TreeMap<>(), new TreeMap<>(), Optional.empty(), Map.of(), Optional.empty());

    /// To be encrypted at rest.
    static final WriteAttributes ENCRYPTED =
            new WriteAttributes(new TreeMap<>(), new TreeMap<>(), Optional.empty(), Map.of(), Optional.empty(), true);

    private static final int CHUNK = 64 << 10;

    private Bytes() {}

    static ByteSource source(byte[] bytes) {
        return ByteSource.of(ByteBuffer.wrap(bytes));
    }

    static byte[] all(ByteSource source) throws IOException {
        var all = new ByteArrayOutputStream();
        for (var bytes = source.next(); bytes.hasRemaining(); bytes = source.next()) {
            while (bytes.hasRemaining()) {
                all.write(bytes.get());
            }
        }
        return all.toByteArray();
    }

    static void discard(ByteSource source) throws IOException {
        for (var bytes = source.next(); bytes.hasRemaining(); ) {
            bytes = source.next();
        }
    }

    /// Bytes that depend on their place, made while they are read.
    static ByteSource generated(long length) {
        return new ByteSource() {
            private final ByteBuffer chunk = ByteBuffer.allocate(CHUNK);
            private long at;

            @Override
            public ByteBuffer next() {
                chunk.clear().limit((int) Math.min(CHUNK, length - at));
                for (int i = 0; i < chunk.limit(); i++) {
                    chunk.put(i, at(at + i));
                }
                at += chunk.limit();
                return chunk;
            }

            @Override
            public void close() {}
        };
    }

    static ByteSource breakingAfter(long length) {
        var source = generated(length);
        return new ByteSource() {
            @Override
            public ByteBuffer next() throws IOException {
                var bytes = source.next();
                if (!bytes.hasRemaining()) {
                    throw new IOException("the client went away");
                }
                return bytes;
            }

            @Override
            public void close() {}
        };
    }

    /// Fails unless these are the bytes of [#generated] from `offset`.
    static void check(ByteBuffer bytes, long offset) {
        for (int i = 0; i < bytes.remaining(); i++) {
            if (bytes.get(bytes.position() + i) != at(offset + i)) {
                throw new AssertionError("wrong byte at " + (offset + i));
            }
        }
    }

    private static byte at(long position) {
        return (byte) (position ^ position >>> 8 ^ position >>> 16 ^ position >>> 24);
    }
}
