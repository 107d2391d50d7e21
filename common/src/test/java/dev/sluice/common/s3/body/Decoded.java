package dev.sluice.common.s3.body;

import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.http.ByteSource;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.function.IntUnaryOperator;

/// A body read to its end.
final class Decoded {
    private final byte[] bytes;
    private final Map<ChecksumAlgorithm, String> trailers;

    private Decoded(byte[] bytes, Map<ChecksumAlgorithm, String> trailers) {
        this.bytes = bytes;
        this.trailers = trailers;
    }

    byte[] bytes() {
        return bytes;
    }

    Map<ChecksumAlgorithm, String> trailers() {
        return trailers;
    }

    /// @param cut how long the buffer at this offset is at most
    static Decoded read(Framing.Message message, IntUnaryOperator cut) throws IOException {
        try (var body = BodyDecoder.open(cutting(message.wire(), cut), message.head(), message.terms())) {
            var out = new ByteArrayOutputStream();
            for (var bytes = body.next(); bytes.hasRemaining(); bytes = body.next()) {
                var copy = new byte[bytes.remaining()];
                bytes.get(copy);
                out.writeBytes(copy);
            }
            return new Decoded(out.toByteArray(), body.trailers());
        }
    }

    /// A source that reuses one buffer, so that a slice kept too long is found out.
    private static ByteSource cutting(byte[] wire, IntUnaryOperator cut) {
        return new ByteSource() {
            private final byte[] buffer = new byte[wire.length + 1];
            private int at;

            @Override
            public ByteBuffer next() {
                Arrays.fill(buffer, (byte) '!');
                int length = Math.min(wire.length - at, cut.applyAsInt(at));
                System.arraycopy(wire, at, buffer, 0, length);
                at += length;
                return ByteBuffer.wrap(buffer, 0, length);
            }

            @Override
            public void close() {}
        };
    }
}
