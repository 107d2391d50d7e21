package dev.sluice.common.s3.body;

import dev.sluice.common.auth.BodyTerms;
import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.checksum.Hasher;
import dev.sluice.common.s3.S3Code;
import dev.sluice.common.s3.S3Failure;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;

/// What becomes of the signatures in aws-chunked framing. Source: Amazon S3 API reference, "Signature Calculations:
/// Transferring Payload in Multiple Chunks" and "… with Trailing Headers".
sealed interface ChunkSignatures {
    /// A chunk's header was read.
    ///
    /// @param extension what stands behind the size, with its `;`; empty when there is nothing
    void begin(String extension);

    /// Bytes of the chunk; the buffer's position stays where it is.
    void add(ByteBuffer bytes);

    /// The chunk's bytes are complete.
    void end();

    /// True when a signature must end the trailer.
    boolean signsTrailer();

    /// @param canonical the trailer's lines, `name:value` and a line feed each
    void checkTrailer(String canonical, String signature);

    private static S3Failure malformed() {
        return new S3Failure(S3Code.INVALID_REQUEST, "A chunk's header is not what its framing asks for.");
    }

    /// Framing without signatures: there must not be any.
    record None() implements ChunkSignatures {
        @Override
        public void begin(String extension) {
            if (!extension.isEmpty()) {
                throw malformed();
            }
        }

        @Override
        public void add(ByteBuffer bytes) {}

        @Override
        public void end() {}

        @Override
        public boolean signsTrailer() {
            return false;
        }

        @Override
        public void checkTrailer(String canonical, String signature) {
            throw ChunkedBody.malformedTrailer("it has a signature, though the body has none");
        }
    }

    /// There may be signatures, and nobody to check them.
    record Ignored() implements ChunkSignatures {
        @Override
        public void begin(String extension) {}

        @Override
        public void add(ByteBuffer bytes) {}

        @Override
        public void end() {}

        @Override
        public boolean signsTrailer() {
            return false;
        }

        @Override
        public void checkTrailer(String canonical, String signature) {}
    }

    /// Each chunk's signature covers the one before it, the first one the head's.
    final class Chained implements ChunkSignatures {
        private static final String EXTENSION = ";chunk-signature=";
        private static final String SHA256_OF_NOTHING =
                "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

        private final BodyTerms.SignedChunks terms;
        private String previous;
        private String claimed = "";
        private Hasher chunk = Hasher.of(ChecksumAlgorithm.SHA256);

        Chained(BodyTerms.SignedChunks terms) {
            this.terms = terms;
            this.previous = terms.seedSignature();
        }

        @Override
        public void begin(String extension) {
            if (!extension.startsWith(EXTENSION)) {
                throw malformed();
            }
            claimed = extension.substring(EXTENSION.length());
            chunk = Hasher.of(ChecksumAlgorithm.SHA256);
        }

        @Override
        public void add(ByteBuffer bytes) {
            chunk.add(bytes);
        }

        @Override
        public void end() {
            advance("AWS4-HMAC-SHA256-PAYLOAD", SHA256_OF_NOTHING + "\n" + hex(chunk), claimed);
        }

        @Override
        public boolean signsTrailer() {
            return terms.trailer();
        }

        @Override
        public void checkTrailer(String canonical, String signature) {
            var hash = Hasher.of(ChecksumAlgorithm.SHA256);
            hash.add(ByteBuffer.wrap(canonical.getBytes(StandardCharsets.ISO_8859_1)));
            advance("AWS4-HMAC-SHA256-TRAILER", hex(hash), signature);
        }

        private void advance(String kind, String hashes, String signature) {
            var expected = terms.signingKey()
                    .hex(kind + "\n" + terms.timestamp() + "\n" + terms.scope() + "\n" + previous + "\n" + hashes);
            if (!MessageDigest.isEqual(
                    expected.getBytes(StandardCharsets.UTF_8), signature.getBytes(StandardCharsets.UTF_8))) {
                throw new S3Failure(
                        S3Code.SIGNATURE_DOES_NOT_MATCH,
                        "The signature of a chunk or of the trailer does not match the one we calculated.");
            }
            previous = expected;
        }

        private static String hex(Hasher hasher) {
            return HexFormat.of().formatHex(hasher.value());
        }
    }
}
