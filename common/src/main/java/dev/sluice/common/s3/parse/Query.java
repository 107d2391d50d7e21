package dev.sluice.common.s3.parse;

import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.http.Headers;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.SigV2Parameters;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// A decoded query string; the first of several parameters of one name counts, as in S3.
final class Query {
    static final Query EMPTY = new Query(List.of());

    private final List<String> namesAndValues;

    private Query(List<String> namesAndValues) {
        this.namesAndValues = namesAndValues;
    }

    static Query parse(String raw) {
        if (raw.isEmpty()) {
            return EMPTY;
        }
        var decoded = new ArrayList<String>(8);
        int start = 0;
        while (start <= raw.length()) {
            int end = raw.indexOf('&', start);
            end = end < 0 ? raw.length() : end;
            if (end > start) {
                int equals = raw.indexOf('=', start);
                boolean valued = equals >= 0 && equals < end;
                decoded.add(PercentDecoding.decode(raw, start, valued ? equals : end, true));
                decoded.add(valued ? PercentDecoding.decode(raw, equals + 1, end, true) : "");
            }
            start = end + 1;
        }
        return new Query(decoded);
    }

    boolean has(String name) {
        return indexOf(name) >= 0;
    }

    /// Whether a presigned URL carries this header.
    boolean hasHeader(String name) {
        for (int i = 0; i < size(); i++) {
            if (name(i).equalsIgnoreCase(name)) {
                return true;
            }
        }
        return false;
    }

    Optional<String> first(String name) {
        int at = indexOf(name);
        return at < 0 ? Optional.empty() : Optional.of(namesAndValues.get(at + 1));
    }

    /// The value, or nothing when the parameter is missing.
    String text(String name) {
        int at = indexOf(name);
        return at < 0 ? "" : namesAndValues.get(at + 1);
    }

    int size() {
        return namesAndValues.size() / 2;
    }

    String name(int index) {
        return namesAndValues.get(2 * index);
    }

    String value(int index) {
        return namesAndValues.get(2 * index + 1);
    }

    /// What the signature covers: of a URL presigned with SigV2 not all.
    Query signedOnly() {
        if (!isPresignedV2()) {
            return this;
        }
        var signed = new ArrayList<String>(namesAndValues.size());
        for (int i = 0; i < size(); i++) {
            if (SigV2Parameters.isSigned(name(i))) {
                signed.add(name(i));
                signed.add(value(i));
            }
        }
        return new Query(signed);
    }

    private boolean isPresignedV2() {
        return has("Signature") || has("AWSAccessKeyId");
    }

    /// The request's headers and those that a presigned URL carries in its query (`x-amz-meta-…`, `x-amz-acl`, …):
    /// they mean the same there. Sent both ways, the header counts, since SigV2 signs no more than that. The
    /// signature's own parameters are not among them.
    ///
    /// A copy's source counts only in a presigned URL: whoever has another could add it, and read with it what the
    /// URL was not made for.
    Headers withHeadersInQuery(Headers headers) {
        Headers all = headers;
        for (int i = 0; i < size(); i++) {
            var name = name(i);
            if (isAmzHeader(name) && !headers.has(name)) {
                if (name.regionMatches(true, 0, "x-amz-copy-source", 0, 17) && !isPresigned(headers)) {
                    throw S3Failure.notImplemented(name + " in a query that is not signed");
                }
                all = all.with(name.toLowerCase(Locale.ROOT), value(i));
            }
        }
        return all;
    }

    private boolean isPresigned(Headers headers) {
        boolean other =
                headers.first("authorization").filter(value -> !value.isBlank()).isPresent();
        for (int i = 0; i < size(); i++) {
            other = other || name(i).startsWith("x-sluice-");
        }
        return has("X-Amz-Signature") != isPresignedV2() && !other;
    }

    private static boolean isAmzHeader(String name) {
        return name.regionMatches(true, 0, "x-amz-", 0, 6) && !isOfSignature(name) && !isOfNoBody(name);
    }

    /// What the SDK for JavaScript signs into URLs for uploads: the checksum of the body that it has at that time,
    /// which is none. S3 does not look at it.
    private static boolean isOfNoBody(String name) {
        var lower = name.toLowerCase(Locale.ROOT);
        return lower.equals("x-amz-sdk-checksum-algorithm")
                || Arrays.stream(ChecksumAlgorithm.values())
                        .anyMatch(algorithm -> algorithm.header().equals(lower));
    }

    private static boolean isOfSignature(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "x-amz-algorithm",
                    "x-amz-credential",
                    "x-amz-date",
                    "x-amz-expires",
                    "x-amz-signedheaders",
                    "x-amz-signature",
                    "x-amz-security-token",
                    "x-amz-content-sha256" -> true;
            default -> false;
        };
    }

    private int indexOf(String name) {
        for (int i = 0; i < namesAndValues.size(); i += 2) {
            if (namesAndValues.get(i).equals(name)) {
                return i;
            }
        }
        return -1;
    }
}
