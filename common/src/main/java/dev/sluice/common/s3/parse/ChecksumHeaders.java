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
    private static final String SDK_ALGORITHM = "x-amz-sdk-checksum-algorithm";
    private static final String TRAILER = "x-amz-trailer";
    private static final String[] ANNOUNCING = {"x-amz-checksum-algorithm", SDK_ALGORITHM, TRAILER};
    private static final String FULL_OBJECT = "FULL_OBJECT";
    private static final String COMPOSITE = "COMPOSITE";

    private ChecksumHeaders() {}

    /// @param composite true where a value may end in `-<number of parts>`
    /// @return one at most: S3 takes the checksum of one algorithm
    static Map<ChecksumAlgorithm, String> values(Headers headers, boolean composite) {
        var found = new EnumMap<ChecksumAlgorithm, String>(ChecksumAlgorithm.class);
        headers.forEach((name, value) -> {
            if (name.regionMatches(true, 0, PREFIX, 0, PREFIX.length()) && !isDirective(name)) {
                var algorithm = ChecksumAlgorithm.ofHeader(name).orElseThrow(() -> unknown(name));
                put(found, algorithm, checked(algorithm, value, composite));
            }
        });
        return Map.copyOf(found);
    }

    static void put(Map<ChecksumAlgorithm, String> found, ChecksumAlgorithm algorithm, String value) {
        var before = found.putIfAbsent(algorithm, value);
        if (found.size() > 1 || (before != null && !before.equals(value))) {
            throw S3Failure.invalidRequest(
                    "Expecting a single checksum, but there are several: " + found.keySet() + ". Send one of them.");
        }
    }

    /// The algorithm that the headers announce; they must not differ, nor from what has a value already.
    static Optional<ChecksumAlgorithm> declared(Headers headers, Map<ChecksumAlgorithm, String> promised) {
        var declared = Optional.<ChecksumAlgorithm>empty();
        for (var header : ANNOUNCING) {
            var named = headers.first(header);
            if (named.isPresent()) {
                var algorithm = header.equals(TRAILER)
                        ? ChecksumAlgorithm.ofHeader(named.get().trim())
                        : ChecksumAlgorithm.ofName(named.get());
                var known = algorithm.orElseThrow(() -> unknown(header + ": " + named.get()));
                boolean other = declared.isPresent() && declared.get() != known;
                if (other || !(promised.isEmpty() || promised.containsKey(known))) {
                    throw S3Failure.invalidRequest(
                            "Value for %s header is invalid: other headers are about another checksum than %s."
                                    .formatted(header, known));
                }
                declared = algorithm;
            }
        }
        return declared;
    }

    /// A body's checksum that was announced must be sent as well.
    static void requireAnnounced(Headers headers, Map<ChecksumAlgorithm, String> promised) {
        if (promised.isEmpty() && headers.has(SDK_ALGORITHM) && !headers.has(TRAILER)) {
            throw S3Failure.invalidRequest(SDK_ALGORITHM
                    + " specified, but no corresponding x-amz-checksum-* or x-amz-trailer headers were found.");
        }
    }

    /// x-amz-checksum-type of CreateMultipartUpload: true for FULL_OBJECT.
    static boolean fullObject(Headers headers, Optional<ChecksumAlgorithm> algorithm) {
        var type = type(headers);
        if (type.isEmpty()) {
            return algorithm.isPresent() && algorithm.get().fullObjectByDefault();
        }
        if (algorithm.isEmpty()) {
            throw S3Failure.invalidRequest(
                    "The x-amz-checksum-type header can only be used with the x-amz-checksum-algorithm header.");
        }
        if (!algorithm.get().allows(type.get())) {
            throw S3Failure.invalidRequest("The " + (type.get() ? FULL_OBJECT : COMPOSITE)
                    + " checksum type cannot be used with the " + algorithm.get() + " algorithm.");
        }
        return type.get();
    }

    /// x-amz-checksum-type: true for FULL_OBJECT.
    static Optional<Boolean> type(Headers headers) {
        return headers.first("x-amz-checksum-type").map(type -> switch (type.toUpperCase(Locale.ROOT)) {
            case FULL_OBJECT -> true;
            case COMPOSITE -> false;
            default -> throw S3Failure.invalidRequest("Value for x-amz-checksum-type header is invalid: " + type);
        });
    }

    /// Content-MD5 in hex.
    static Optional<String> contentMd5(Headers headers) {
        return headers.first("content-md5").map(value -> {
            var digest = base64(value);
            if (digest.length != 16) {
                throw S3Failure.of(S3Code.INVALID_DIGEST, value);
            }
            return HexFormat.of().formatHex(digest);
        });
    }

    static String checked(ChecksumAlgorithm algorithm, String value, boolean composite) {
        int dash = composite ? value.indexOf('-') : -1;
        boolean parts = dash < 0 || (dash + 1 < value.length() && digits(value.substring(dash + 1)));
        if (!parts || !algorithm.isValue(dash < 0 ? value : value.substring(0, dash))) {
            throw S3Failure.invalidRequest("Value for " + algorithm.header() + " header is invalid: " + value);
        }
        return value;
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
                + "). Please try again with any of the valid types: [" + ChecksumAlgorithm.names() + "]");
    }
}
