package dev.sluice.common.checksum;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.List;

/// The checksum of a multipart object, made from those of its parts.
public final class MultipartChecksum {
    /// @param base64 the part's checksum
    /// @param length the part's number of bytes
    public record Part(String base64, long length) {}

    private MultipartChecksum() {}

    /// S3's type COMPOSITE: the checksum of the parts' checksums, and their number.
    public static String composite(ChecksumAlgorithm algorithm, List<Part> parts) {
        var whole = Hasher.of(algorithm);
        for (var part : parts) {
            whole.add(ByteBuffer.wrap(Base64.getDecoder().decode(part.base64())));
        }
        return whole.base64() + "-" + parts.size();
    }

    /// S3's type FULL_OBJECT: what the checksum would be had the object come in one piece.
    ///
    /// @throws IllegalArgumentException for an algorithm that cannot be combined (all but the CRCs)
    public static String fullObject(ChecksumAlgorithm algorithm, List<Part> parts) {
        var crc = CombinableCrc.of(algorithm)
                .orElseThrow(() -> new IllegalArgumentException(algorithm + " of parts cannot be combined"));
        int width = algorithm == ChecksumAlgorithm.CRC64NVME ? Long.BYTES : Integer.BYTES;
        long whole = 0;
        for (var part : parts) {
            long value = 0;
            for (byte b : Base64.getDecoder().decode(part.base64())) {
                value = (value << 8) | (b & 0xFF);
            }
            whole = crc.combine(whole, value, part.length());
        }
        return Base64.getEncoder().encodeToString(Hasher.Crc.bigEndian(whole, width));
    }
}
