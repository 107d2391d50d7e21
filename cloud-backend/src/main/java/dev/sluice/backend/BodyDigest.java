package dev.sluice.backend;

import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.checksum.Crc64Nvme;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.function.Function;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/// A checksum on its way through a body.
sealed interface BodyDigest {
    void update(ByteBuffer bytes);

    /// As the cloud writes it.
    String value();

    boolean costly();

    static BodyDigest of(ChecksumAlgorithm algorithm) {
        return switch (algorithm) {
            case CRC32 -> new Cyclic(new CRC32(), Integer.BYTES);
            case CRC32C -> new Cyclic(new CRC32C(), Integer.BYTES);
            case CRC64NVME -> new Cyclic(new Crc64Nvme(), Long.BYTES);
            case SHA1 -> new Cryptographic("SHA-1", Base64.getEncoder()::encodeToString);
            case SHA256 -> new Cryptographic("SHA-256", Base64.getEncoder()::encodeToString);
        };
    }

    static BodyDigest md5() {
        return new Cryptographic("MD5", HexFormat.of()::formatHex);
    }

    final class Cyclic implements BodyDigest {
        private final Checksum checksum;
        private final int width;

        Cyclic(Checksum checksum, int width) {
            this.checksum = checksum;
            this.width = width;
        }

        @Override
        public void update(ByteBuffer bytes) {
            checksum.update(bytes);
        }

        @Override
        public String value() {
            var bytes =
                    ByteBuffer.allocate(Long.BYTES).putLong(checksum.getValue()).array();
            var tail = Arrays.copyOfRange(bytes, Long.BYTES - width, Long.BYTES);
            return Base64.getEncoder().encodeToString(tail);
        }

        @Override
        public boolean costly() {
            return checksum instanceof Crc64Nvme;
        }
    }

    final class Cryptographic implements BodyDigest {
        private final MessageDigest digest;
        private final Function<byte[], String> writing;

        Cryptographic(String algorithm, Function<byte[], String> writing) {
            try {
                this.digest = MessageDigest.getInstance(algorithm);
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException(e);
            }
            this.writing = writing;
        }

        @Override
        public void update(ByteBuffer bytes) {
            digest.update(bytes);
        }

        @Override
        public String value() {
            return writing.apply(digest.digest());
        }

        @Override
        public boolean costly() {
            return true;
        }
    }
}
