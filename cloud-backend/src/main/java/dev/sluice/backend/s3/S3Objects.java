package dev.sluice.backend.s3;

import dev.sluice.backend.BackendObject;
import dev.sluice.common.checksum.ChecksumAlgorithm;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import software.amazon.awssdk.http.SdkHttpResponse;

/// An object as S3's response headers describe it. Read from the headers themselves, since the SDK's typed answers of
/// HEAD and GET have no common type.
final class S3Objects {
    private static final String META = "x-amz-meta-";
    private static final Pattern MD5 = Pattern.compile("[0-9a-f]{32}");
    private static final Pattern TOTAL = Pattern.compile("bytes (\\d+)-(\\d+)/(\\d+)");
    private static final List<String> KEPT = List.of(
            "Content-Type",
            "Content-Encoding",
            "Content-Disposition",
            "Content-Language",
            "Cache-Control",
            "Expires",
            "x-amz-tagging-count");

    private S3Objects() {}

    /// What a body holds: its place in the object and the object's size.
    record Extent(long offset, long length, long size) {}

    static Extent extent(SdkHttpResponse response) {
        var range = response.firstMatchingHeader("Content-Range").map(TOTAL::matcher);
        if (range.isPresent() && range.get().matches()) {
            long from = Long.parseLong(range.get().group(1));
            long to = Long.parseLong(range.get().group(2));
            return new Extent(from, to - from + 1, Long.parseLong(range.get().group(3)));
        }
        long length = response.firstMatchingHeader("Content-Length")
                .map(Long::parseLong)
                .orElseThrow(() -> new IllegalStateException("S3 answered without a Content-Length"));
        return new Extent(0, length, length);
    }

    static BackendObject object(String key, SdkHttpResponse response) {
        var extent = extent(response);
        var etag = unquoted(response.firstMatchingHeader("ETag").orElse(""));
        // The answer to a range may carry the checksum of one part.
        var checksums = extent.length() == extent.size() ? checksums(response) : Map.<ChecksumAlgorithm, String>of();
        return new BackendObject(
                key,
                extent.size(),
                etag,
                etag,
                lastModified(response),
                headers(response),
                userMetadata(response),
                checksums,
                md5(etag, response),
                Optional.empty());
    }

    static String unquoted(String etag) {
        return etag.length() >= 2 && etag.startsWith("\"") && etag.endsWith("\"")
                ? etag.substring(1, etag.length() - 1)
                : etag;
    }

    static String quoted(String etag) {
        return '"' + etag + '"';
    }

    private static Instant lastModified(SdkHttpResponse response) {
        return response.firstMatchingHeader("Last-Modified")
                .map(text -> ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME))
                .map(ZonedDateTime::toInstant)
                .orElse(Instant.EPOCH);
    }

    private static SortedMap<String, String> headers(SdkHttpResponse response) {
        var headers = new TreeMap<String, String>();
        for (var name : KEPT) {
            response.firstMatchingHeader(name).ifPresent(value -> headers.put(name, value));
        }
        return headers;
    }

    private static SortedMap<String, String> userMetadata(SdkHttpResponse response) {
        var metadata = new TreeMap<String, String>();
        response.forEachHeader((name, values) -> {
            var lower = name.toLowerCase(Locale.ROOT);
            if (lower.startsWith(META)) {
                metadata.put(lower.substring(META.length()), String.join(",", values));
            }
        });
        return metadata;
    }

    private static Map<ChecksumAlgorithm, String> checksums(SdkHttpResponse response) {
        var checksums = new EnumMap<ChecksumAlgorithm, String>(ChecksumAlgorithm.class);
        boolean composite = response.firstMatchingHeader("x-amz-checksum-type")
                .filter("COMPOSITE"::equalsIgnoreCase)
                .isPresent();
        for (var algorithm : ChecksumAlgorithm.values()) {
            response.firstMatchingHeader(algorithm.header())
                    .filter(value -> !composite && !value.contains("-"))
                    .ifPresent(value -> checksums.put(algorithm, value));
        }
        return checksums;
    }

    /// Only the ETag of an object written in one piece is an MD5, and with keys of KMS or the customer it is not
    /// one either.
    private static Optional<String> md5(String etag, SdkHttpResponse response) {
        boolean keyed = response.firstMatchingHeader("x-amz-server-side-encryption")
                        .filter(kind -> !kind.equals("AES256"))
                        .isPresent()
                || response.firstMatchingHeader("x-amz-server-side-encryption-customer-algorithm")
                        .isPresent();
        return keyed || !MD5.matcher(etag).matches() ? Optional.empty() : Optional.of(etag);
    }
}
