package dev.sluice.common.checksum;

import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/// The checksums S3 clients may send and ask for. Records name them: names are never to be changed.
public enum ChecksumAlgorithm {
    CRC32(4, OfParts.EITHER),
    CRC32C(4, OfParts.EITHER),
    CRC64NVME(8, OfParts.FULL_OBJECT),
    SHA1(20, OfParts.COMPOSITE),
    SHA256(32, OfParts.COMPOSITE),
    SHA512(64, OfParts.COMPOSITE),
    MD5(16, OfParts.COMPOSITE),
    XXHASH64(8, OfParts.COMPOSITE),
    XXHASH3(8, OfParts.COMPOSITE),
    XXHASH128(16, OfParts.COMPOSITE);

    /// The checksums that a multipart object may have: over the values of its parts, over its bytes, or the first
    /// unless the client says the second.
    private enum OfParts {
        COMPOSITE,
        FULL_OBJECT,
        EITHER
    }

    private final int bytes;
    private final OfParts ofParts;

    ChecksumAlgorithm(int bytes, OfParts ofParts) {
        this.bytes = bytes;
        this.ofParts = ofParts;
    }

    /// The header or trailer that carries the value, in base64.
    public String header() {
        return "x-amz-checksum-" + name().toLowerCase(Locale.ROOT);
    }

    /// The number of bytes of a value.
    public int size() {
        return bytes;
    }

    /// Whether this is the base64 of a value, right or wrong.
    public boolean isValue(String base64) {
        if (base64.length() != (bytes + 2) / 3 * 4) {
            return false;
        }
        try {
            return Base64.getDecoder().decode(base64).length == bytes;
        } catch (IllegalArgumentException _) {
            return false;
        }
    }

    /// Whether a multipart object may have it over all its bytes, or else composed of the parts' values.
    public boolean allows(boolean fullObject) {
        return ofParts == OfParts.EITHER || fullObject == (ofParts == OfParts.FULL_OBJECT);
    }

    /// What a multipart object has when the client does not say.
    public boolean fullObjectByDefault() {
        return ofParts == OfParts.FULL_OBJECT;
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

    /// For messages.
    public static String names() {
        return Arrays.stream(values()).map(Enum::name).collect(Collectors.joining(", "));
    }
}
