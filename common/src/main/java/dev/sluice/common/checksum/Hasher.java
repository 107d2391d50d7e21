package dev.sluice.common.checksum;

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
}
