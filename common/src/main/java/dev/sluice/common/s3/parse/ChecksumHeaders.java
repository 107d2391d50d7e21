package dev.sluice.common.s3.parse;

import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.http.Headers;
import dev.sluice.common.s3.S3Code;
import dev.sluice.common.s3.S3Failure;
import java.util.Arrays;
import java.util.Base64;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// The checksums that a client promises in headers, and the algorithm it announces.
final class ChecksumHeaders {
    private static final String PREFIX = "x-amz-checksum-";

    private ChecksumHeaders() {}

    /// @param composite true where a value may end in `-<number of parts>`
    static Map<ChecksumAlgorithm, String> values(Headers headers, boolean composite) {
        var found = new EnumMap<ChecksumAlgorithm, String>(ChecksumAlgorithm.class);
        headers.forEach((name, value) -> {
            if (name.regionMatches(true, 0, PREFIX, 0, PREFIX.length()) && !isDirective(name)) {
                var algorithm = ChecksumAlgorithm.ofHeader(name).orElseThrow(() -> unknown(name));
                found.put(algorithm, checked(algorithm, value, composite));
            }
        });
        return Map.copyOf(found);
    }

    static Optional<ChecksumAlgorithm> declared(Headers headers) {
        for (var header : new String[] {"x-amz-checksum-algorithm", "x-amz-sdk-checksum-algorithm"}) {
            var name = headers.first(header);
            if (name.isPresent()) {
                return Optional.of(ChecksumAlgorithm.ofName(name.get()).orElseThrow(() -> unknown(name.get())));
            }
        }
        var trailer = headers.first("x-amz-trailer");
        return trailer.map(
                name -> ChecksumAlgorithm.ofHeader(name.trim()).orElseThrow(() -> unknown("x-amz-trailer: " + name)));
    }

    /// x-amz-checksum-type of CreateMultipartUpload: true for FULL_OBJECT. CRC64NVME is always of the full object, the
    /// SHAs never, the CRC32s are composite unless said otherwise.
    static boolean fullObject(Headers headers, Optional<ChecksumAlgorithm> algorithm) {
        var type = headers.first("x-amz-checksum-type");
        if (type.isEmpty()) {
            return algorithm.isPresent() && algorithm.get() == ChecksumAlgorithm.CRC64NVME;
        }
        boolean full = checkType(type.get());
        if (algorithm.isEmpty()) {
            throw S3Failure.invalidRequest(
                    "The x-amz-checksum-type header can only be used with the x-amz-checksum-algorithm header.");
        }
        boolean possible = switch (algorithm.get()) {
            case CRC32, CRC32C -> true;
            case CRC64NVME -> full;
            case SHA1, SHA256 -> !full;
        };
        if (!possible) {
            throw S3Failure.invalidRequest(
                    "The " + type.get() + " checksum type cannot be used with the " + algorithm.get() + " algorithm.");
        }
        return full;
    }

    static boolean checkType(String type) {
        return switch (type.toUpperCase(Locale.ROOT)) {
            case "FULL_OBJECT" -> true;
            case "COMPOSITE" -> false;
            default -> throw S3Failure.invalidRequest("Value for x-amz-checksum-type header is invalid: " + type);
        };
    }

    /// Content-MD5 in hex.
    static Optional<String> contentMd5(Headers headers) {
        return headers.first("content-md5").map(value -> {
            var digest = base64(value);
            if (digest.length != 16) {
                throw new S3Failure(S3Code.INVALID_DIGEST, "The Content-MD5 you specified is not valid: " + value);
            }
            return HexFormat.of().formatHex(digest);
        });
    }

    static String checked(ChecksumAlgorithm algorithm, String value, boolean composite) {
        int dash = composite ? value.indexOf('-') : -1;
        boolean parts = dash < 0 || (dash + 1 < value.length() && digits(value.substring(dash + 1)));
        var digest = base64(dash < 0 ? value : value.substring(0, dash));
        if (!parts || digest.length != length(algorithm)) {
            throw S3Failure.invalidRequest("Value for " + algorithm.header() + " header is invalid: " + value);
        }
        return value;
    }

    private static int length(ChecksumAlgorithm algorithm) {
        return switch (algorithm) {
            case CRC32, CRC32C -> 4;
            case CRC64NVME -> 8;
            case SHA1 -> 20;
            case SHA256 -> 32;
        };
    }

    /// Nothing when it is no base64, which is no digest's length.
    private static byte[] base64(String value) {
        try {
            return Base64.getDecoder().decode(value);
        } catch (IllegalArgumentException _) {
            return new byte[0];
        }
    }

    private static boolean digits(String text) {
        return text.chars().allMatch(c -> (c >= '0' && c <= '9'));
    }

    private static boolean isDirective(String name) {
        return Arrays.asList("algorithm", "mode", "type")
                .contains(name.substring(PREFIX.length()).toLowerCase(Locale.ROOT));
    }

    private static S3Failure unknown(String what) {
        return S3Failure.invalidRequest("Checksum algorithm provided is unsupported (" + what
                + "). Please try again with any of the valid types: [CRC32, CRC32C, CRC64NVME, SHA1, SHA256]");
    }
}
