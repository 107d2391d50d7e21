package dev.sluice.common.checksum;

import java.util.Locale;
import java.util.Optional;

/// The checksums S3 clients may send and ask for.
public enum ChecksumAlgorithm {
    CRC32,
    CRC32C,
    CRC64NVME,
    SHA1,
    SHA256;

    /// The header or trailer that carries the value, in base64.
    public String header() {
        return "x-amz-checksum-" + name().toLowerCase(Locale.ROOT);
    }

    public static Optional<ChecksumAlgorithm> ofName(String name) {
        for (var each : values()) {
            if (each.name().equalsIgnoreCase(name)) {
                return Optional.of(each);
            }
        }
        return Optional.empty();
    }

    public static Optional<ChecksumAlgorithm> ofHeader(String header) {
        var lower = header.toLowerCase(Locale.ROOT);
        return lower.startsWith("x-amz-checksum-") ? ofName(lower.substring(15)) : Optional.empty();
    }
}
