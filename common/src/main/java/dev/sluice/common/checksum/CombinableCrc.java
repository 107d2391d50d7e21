package dev.sluice.common.checksum;

import java.util.Optional;

/// Makes the CRC of a whole from the CRCs and lengths of its parts, without the bytes. A CRC is a remainder modulo a
/// polynomial over GF(2): appending n bytes multiplies it by x^(8n), and x^(2^k) is kept for every k, so that a
/// combination costs at most 64 multiplications, whatever the length. Source: M. Adler, zlib's crc32_combine.
public final class CombinableCrc {
    public static final CombinableCrc CRC32 = new CombinableCrc(32, 0xEDB88320L);
    public static final CombinableCrc CRC32C = new CombinableCrc(32, 0x82F63B78L);
    public static final CombinableCrc CRC64NVME = new CombinableCrc(64, Crc64Nvme.REFLECTED_POLYNOMIAL);

    private final int width;
    private final long polynomial;
    /// x^(2^k) in reflected form.
    private final long[] powers = new long[64];

    private CombinableCrc(int width, long polynomial) {
        this.width = width;
        this.polynomial = polynomial;
        powers[0] = 1L << (width - 2);
        for (int k = 1; k < powers.length; k++) {
            powers[k] = multiply(powers[k - 1], powers[k - 1]);
        }
    }

    public static Optional<CombinableCrc> of(ChecksumAlgorithm algorithm) {
        return switch (algorithm) {
            case CRC32 -> Optional.of(CRC32);
            case CRC32C -> Optional.of(CRC32C);
            case CRC64NVME -> Optional.of(CRC64NVME);
            case SHA1, SHA256, SHA512, MD5, XXHASH64, XXHASH3, XXHASH128 -> Optional.empty();
        };
    }

    /// The CRC of two runs of bytes, one after the other.
    public long combine(long first, long second, long secondLength) {
        return append(first, second, shift(secondLength));
    }

    /// What [#append] needs to know of a length; worth keeping when many parts have the same.
    long shift(long bytes) {
        if (bytes < 0 || bytes > Long.MAX_VALUE >> 3) {
            throw new IllegalArgumentException("no length: " + bytes);
        }
        long shift = 1L << (width - 1);
        long bits = bytes << 3;
        for (int k = 0; bits != 0; k++, bits >>>= 1) {
            if ((bits & 1) != 0) {
                shift = multiply(powers[k], shift);
            }
        }
        return shift;
    }

    long append(long first, long second, long shift) {
        return multiply(shift, first) ^ second;
    }

    /// a · b modulo the polynomial; the highest bit stands for x^0.
    private long multiply(long a, long b) {
        long product = 0;
        long factor = b;
        for (int bit = width - 1; bit >= 0; bit--) {
            product ^= factor & -((a >>> bit) & 1);
            factor = (factor >>> 1) ^ (polynomial & -(factor & 1));
        }
        return product;
    }
}
