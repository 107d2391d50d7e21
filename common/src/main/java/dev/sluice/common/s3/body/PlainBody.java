package dev.sluice.common.s3.body;

import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.checksum.Hasher;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.s3.S3Code;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.store.StoreException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;

/// Bytes without framing, of a length that HTTP knows, maybe with a promised SHA-256. It is compared before the last
/// buffer is handed out where the length is known.
final class PlainBody implements ObjectBody {
    private final ByteSource raw;
    private final long length;
    private final Optional<String> expected;
    private final Optional<Hasher> hasher;
    private final Failures failures = new Failures();
    private long received;
    private boolean verified;

    PlainBody(ByteSource raw, long length, Optional<String> expected) {
        this.raw = raw;
        this.length = length;
        this.expected = expected;
        this.hasher = expected.map(_ -> Hasher.of(ChecksumAlgorithm.SHA256));
    }

    @Override
    public ByteBuffer next() throws IOException {
        return failures.remembering(this::advance);
    }

    private ByteBuffer advance() throws IOException {
        var bytes = raw.next();
        received += bytes.remaining();
        if (length >= 0 && (received > length || (!bytes.hasRemaining() && received < length))) {
            throw new StoreException.IncompleteBody(length, received);
        }
        hasher.ifPresent(each -> each.add(bytes));
        if (received == length || !bytes.hasRemaining()) {
            verify();
        }
        return bytes;
    }

    private void verify() {
        if (verified || hasher.isEmpty()) {
            return;
        }
        verified = true;
        var actual = HexFormat.of().formatHex(hasher.get().value());
        if (!expected.equals(Optional.of(actual))) {
            throw S3Failure.of(S3Code.SHA256_MISMATCH, expected.orElse(""), actual);
        }
    }

    @Override
    public long decodedLength() {
        return length;
    }

    @Override
    public Map<ChecksumAlgorithm, String> trailers() {
        return Map.of();
    }

    @Override
    public Optional<Kept> keep() {
        return raw.keep();
    }

    @Override
    public void close() {
        raw.close();
    }
}
