package dev.sluice.common.s3.parse;

import dev.sluice.common.http.Headers;
import dev.sluice.common.s3.Conditions;
import dev.sluice.common.s3.DeleteConditions;
import dev.sluice.common.s3.EncodedWords;
import dev.sluice.common.s3.Encryption;
import dev.sluice.common.s3.S3Code;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.Tags;
import dev.sluice.common.s3.WriteAttributes;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What the headers say about the bytes that a request writes.
final class WriteHeaders {
    private static final String IF_SIZE = "x-amz-if-match-size";
    private static final String IF_MODIFIED = "x-amz-if-match-last-modified-time";
    private static final String METADATA = "x-amz-meta-";
    private static final int LARGEST_METADATA = 2048;
    private static final int LARGEST_RAW = 8192;

    private WriteHeaders() {}

    /// Of a request whose body is the object's bytes.
    static WriteAttributes ofBody(Headers headers) {
        var attributes = attributes(headers);
        ChecksumHeaders.requireAnnounced(headers, attributes.checksums());
        return attributes;
    }

    static WriteAttributes attributes(Headers headers) {
        var checksums = ChecksumHeaders.values(headers, false);
        return new WriteAttributes(
                contentHeaders(headers),
                userMetadata(headers),
                ChecksumHeaders.contentMd5(headers),
                checksums,
                ChecksumHeaders.declared(headers, checksums),
                encrypted(headers));
    }

    private static boolean encrypted(Headers headers) {
        boolean asked = headers.has(Encryption.HEADER);
        if (asked) {
            headers.all(Encryption.HEADER).forEach(Encryption::requireAes256);
        }
        return asked;
    }

    /// If-Match or `If-None-Match: *`. S3 answers NotImplemented to all others on a write, and so do we.
    static Conditions conditions(Headers headers) {
        var ifMatch = Conditions.tags(headers.all("if-match"));
        var ifNoneMatch =
                Conditions.tags(headers.all("if-none-match").stream().distinct().toList());
        if (ifNoneMatch.isPresent() && !ifNoneMatch.get().equals("*")) {
            throw S3Failure.notImplemented("If-None-Match on a write with another value than *: " + ifNoneMatch.get());
        }
        if (ifMatch.isPresent() && ifNoneMatch.isPresent()) {
            throw S3Failure.notImplemented("If-Match and If-None-Match on one write");
        }
        return ifMatch.isEmpty() && ifNoneMatch.isEmpty()
                ? Conditions.NONE
                : new Conditions(ifMatch, ifNoneMatch, Optional.empty(), Optional.empty());
    }

    static DeleteConditions deleteConditions(Headers headers) {
        var ifMatch = Conditions.tags(headers.all("if-match"));
        var size = headers.first(IF_SIZE);
        var modified = headers.first(IF_MODIFIED);
        return ifMatch.isEmpty() && size.isEmpty() && modified.isEmpty()
                ? DeleteConditions.NONE
                : new DeleteConditions(
                        ifMatch,
                        size.map(value -> Numbers.size(IF_SIZE, value)),
                        modified.map(value -> HttpDate.required(IF_MODIFIED, value)));
    }

    /// Values given back in headers must not end the header: control characters can come in through a query.
    static String checkHeaderValue(String name, String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if ((c < ' ' && c != '\t') || c == 0x7F || c > 0xFF) {
                throw S3Failure.invalidArgument(name, value, "The value of " + name + " cannot stand in a header");
            }
        }
        return value;
    }

    private static SortedMap<String, String> contentHeaders(Headers headers) {
        var kept = new TreeMap<String, String>();
        headers.forEach((name, value) -> {
            var canonical = canonicalName(name);
            if (canonical.equals("Content-Encoding")) {
                var encoding = withoutAwsChunked(checkHeaderValue(name, value));
                if (!encoding.isEmpty()) {
                    kept.merge(canonical, encoding, (first, second) -> first + ", " + second);
                }
            } else if (!canonical.isEmpty()) {
                kept.putIfAbsent(canonical, checkHeaderValue(name, value));
            }
        });
        checkSize(rawSize(kept), LARGEST_METADATA);
        headers.first(Tags.HEADER)
                .map(Tags::ofHeader)
                .filter(tags -> !tags.isEmpty())
                .map(Tags::header)
                .ifPresent(tags -> kept.put(Tags.HEADER, tags));
        return Collections.unmodifiableSortedMap(kept);
    }

    private static String canonicalName(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "content-type" -> "Content-Type";
            case "content-encoding" -> "Content-Encoding";
            case "content-disposition" -> "Content-Disposition";
            case "content-language" -> "Content-Language";
            case "cache-control" -> "Cache-Control";
            case "expires" -> "Expires";
            default -> "";
        };
    }

    /// `aws-chunked` frames the request's body and is no property of the object. The rest stays as it was written.
    private static String withoutAwsChunked(String encoding) {
        return Stream.of(encoding.split(","))
                .filter(each -> !each.trim().equalsIgnoreCase("aws-chunked"))
                .collect(Collectors.joining(","))
                .trim();
    }

    private static SortedMap<String, String> userMetadata(Headers headers) {
        var metadata = new TreeMap<String, String>();
        headers.forEach((name, value) -> {
            if (name.regionMatches(true, 0, METADATA, 0, METADATA.length())) {
                var key = name.substring(METADATA.length()).toLowerCase(Locale.ROOT);
                metadata.merge(checkName(key), checkHeaderValue(name, value), (first, second) -> first + "," + second);
            }
        });
        checkSize(rawSize(metadata), LARGEST_RAW);
        checkSize(textSize(metadata), LARGEST_METADATA);
        return Collections.unmodifiableSortedMap(metadata);
    }

    /// Of user metadata, and of the content headers too: an object keeps both beside its bytes.
    private static void checkSize(int size, int largest) {
        if (size > largest) {
            throw S3Failure.of(S3Code.METADATA_TOO_LARGE, Integer.toString(size), Integer.toString(largest));
        }
    }

    /// In bytes as they were sent: each is a character.
    private static int rawSize(SortedMap<String, String> headers) {
        int size = 0;
        for (var each : headers.entrySet()) {
            size += each.getKey().length() + each.getValue().length();
        }
        return size;
    }

    /// S3 counts the bytes of the text in UTF-8.
    private static int textSize(SortedMap<String, String> metadata) {
        int size = 0;
        for (var each : metadata.entrySet()) {
            size += each.getKey().length()
                    + EncodedWords.decoded(each.getValue()).getBytes(StandardCharsets.UTF_8).length;
        }
        return size;
    }

    private static String checkName(String name) {
        boolean legal = !name.isEmpty() && name.chars().allMatch(c -> c > ' ' && c < 0x7F && c != ':');
        if (!legal) {
            throw S3Failure.invalidArgument(
                    METADATA + name, "", "A metadata header has no legal name: " + METADATA + name);
        }
        return name;
    }
}
