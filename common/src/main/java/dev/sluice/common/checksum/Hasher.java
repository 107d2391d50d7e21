package dev.sluice.common.checksum;

import com.dynatrace.hash4j.hashing.HashStream128;
import com.dynatrace.hash4j.hashing.HashStream64;
import com.dynatrace.hash4j.hashing.Hashing;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/// One checksum of a stream of bytes. One thread at a time.
public sealed interface Hasher {
    /// Takes in what remains in the buffer, whose position stays where it is.
    void add(ByteBuffer bytes);

    /// The checksum, big-endian; ends the hasher's use.
    byte[] value();

    /// As S3 writes it.
    default String base64() {
        return Base64.getEncoder().encodeToString(value());
    }

    static Hasher of(ChecksumAlgorithm algorithm) {
        return switch (algorithm) {
            case CRC32 -> new Crc(new CRC32(), Integer.BYTES);
            case CRC32C -> new Crc(new CRC32C(), Integer.BYTES);
            case CRC64NVME -> new Crc(new Crc64Nvme(), Long.BYTES);
            case SHA1 -> Digest.of("SHA-1");
            case SHA256 -> Digest.of("SHA-256");
            case SHA512 -> Digest.of("SHA-512");
            case MD5 -> Digest.of("MD5");
            case XXHASH64 -> new Xxh(Hashing.xxh64().hashStream());
            case XXHASH3 -> new Xxh(Hashing.xxh3_64().hashStream());
            case XXHASH128 -> new Xxh(Hashing.xxh3_128().hashStream());
        };
    }

    record Crc(Checksum checksum, int width) implements Hasher {
        @Override
        public void add(ByteBuffer bytes) {
            checksum.update(bytes.duplicate());
        }

        @Override
        public byte[] value() {
            return bigEndian(checksum.getValue(), width);
        }

        static byte[] bigEndian(long value, int width) {
            var bytes = new byte[width];
            for (int i = 0; i < width; i++) {
                bytes[i] = (byte) (value >>> (8 * (width - 1 - i)));
            }
            return bytes;
        }
    }

    record Digest(MessageDigest digest) implements Hasher {
        static Digest of(String algorithm) {
            try {
                return new Digest(MessageDigest.getInstance(algorithm));
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every JDK has " + algorithm, e);
            }
        }

        @Override
        public void add(ByteBuffer bytes) {
            digest.update(bytes.duplicate());
        }

        @Override
        public byte[] value() {
            return digest.digest();
        }
    }

    /// XXHash with the seed 0, in its canonical form.
    final class Xxh implements Hasher {
        /// Of bytes outside the heap, at a time.
        private static final int COPIED = 8 << 10;

        private final HashStream64 stream;
        private byte[] copied = new byte[0];

        Xxh(HashStream64 stream) {
            this.stream = stream;
        }

        @Override
        public void add(ByteBuffer bytes) {
            if (bytes.hasArray()) {
                stream.putBytes(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
                return;
            }
            if (copied.length == 0) {
                copied = new byte[COPIED];
            }
            var left = bytes.duplicate();
            while (left.hasRemaining()) {
                int length = Math.min(left.remaining(), copied.length);
                left.get(copied, 0, length);
                stream.putBytes(copied, 0, length);
            }
        }

        @Override
        public byte[] value() {
            if (stream instanceof HashStream128 wide) {
                var value = wide.get();
                return ByteBuffer.allocate(2 * Long.BYTES)
                        .putLong(value.getMostSignificantBits())
                        .putLong(value.getLeastSignificantBits())
                        .array();
            }
            return Crc.bigEndian(stream.getAsLong(), Long.BYTES);
        }
    }
}
