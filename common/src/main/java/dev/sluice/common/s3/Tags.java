package dev.sluice.common.s3;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// The tags of a bucket or of an object, in the order in which they were sent. Immutable.
///
/// @param values key → value
public record Tags(Map<String, String> values) {
    public static final String HEADER = "x-amz-tagging";
    public static final String COUNT_HEADER = "x-amz-tagging-count";
    public static final Tags NONE = new Tags(Map.of());
    public static final int MOST_OF_BUCKET = 50;
    public static final int MOST_OF_OBJECT = 10;

    private static final int LARGEST_HEADER = 8 << 10; // what S3 takes of all headers
    private static final int LONGEST_KEY = 128;
    private static final int LONGEST_VALUE = 256;
    private static final Pattern LEGAL = Pattern.compile("[\\p{L}\\p{Z}\\p{N}_.:/=+\\-@]*");
    private static final String RESERVED = "aws:";

    public Tags {
        values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }

    /// Of an object: as in a query, percent-encoded.
    ///
    /// @throws S3Failure for what is none
    public static Tags ofHeader(String text) {
        var tags = new LinkedHashMap<String, String>();
        for (var pair : text.split("&")) {
            if (!pair.isEmpty()) {
                int end = pair.indexOf('=');
                add(
                        tags,
                        decoded(text, end < 0 ? pair : pair.substring(0, end)),
                        end < 0 ? "" : decoded(text, pair.substring(end + 1)));
            }
        }
        requireAtMost(MOST_OF_OBJECT, "Object", tags.size());
        var read = new Tags(tags);
        int length = read.header().length();
        if (length > LARGEST_HEADER) {
            throw S3Failure.of(S3Code.METADATA_TOO_LARGE, Integer.toString(length), Integer.toString(LARGEST_HEADER));
        }
        return read;
    }

    private static String decoded(String header, String part) {
        try {
            return URLDecoder.decode(part, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            throw S3Failure.invalidArgument(
                    HEADER,
                    header,
                    "The header 'x-amz-tagging' shall be encoded as UTF-8 then URLEncoded URL query parameters without tag name duplicates.");
        }
    }

    /// @throws S3Failure when it is not a legal tag, or there is one with this key
    public static void add(Map<String, String> tags, String key, String value) {
        if (key.isEmpty() || key.length() > LONGEST_KEY || !LEGAL.matcher(key).matches()) {
            throw new S3Failure(S3Code.INVALID_TAG, "The TagKey you have provided is invalid", key, value);
        }
        if (key.startsWith(RESERVED)) {
            throw new S3Failure(S3Code.INVALID_TAG, "System tags cannot be added/updated by requester", key, value);
        }
        if (value.length() > LONGEST_VALUE || !LEGAL.matcher(value).matches()) {
            throw new S3Failure(S3Code.INVALID_TAG, "The TagValue you have provided is invalid", key, value);
        }
        if (tags.putIfAbsent(key, value) != null) {
            throw new S3Failure(S3Code.INVALID_TAG, "Cannot provide multiple Tags with the same key", key, value);
        }
    }

    /// @param whose `Bucket` or `Object`
    public static void requireAtMost(int most, String whose, int count) {
        if (count > most) {
            throw new S3Failure(S3Code.BAD_REQUEST, "%s tags cannot be greater than %d".formatted(whose, most));
        }
    }

    /// As [#ofHeader] reads it.
    public String header() {
        return values.entrySet().stream()
                .map(each -> encoded(each.getKey()) + "=" + encoded(each.getValue()))
                .collect(Collectors.joining("&"));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    /// @throws S3Failure when they are not what an object may have: another server may know other rules
    public Tags requireLegal() {
        return ofHeader(header());
    }

    public boolean isEmpty() {
        return values.isEmpty();
    }

    /// Of an object: as they are kept among its headers.
    public static Tags among(Map<String, String> headers) {
        return Optional.ofNullable(headers.get(HEADER)).map(Tags::ofHeader).orElse(NONE);
    }

    /// What answers say of them: how many there are.
    ///
    /// @param header as [#header] writes it
    public static String count(String header) {
        return Long.toString(header.chars().filter(c -> c == '&').count() + 1);
    }

    /// The headers of an object whose tags are kept elsewhere.
    public static SortedMap<String, String> counted(SortedMap<String, String> headers) {
        var tags = headers.get(HEADER);
        if (tags == null) {
            return headers;
        }
        var counted = new TreeMap<>(headers);
        counted.remove(HEADER);
        counted.put(COUNT_HEADER, count(tags));
        return counted;
    }

    /// The headers of an object that has these.
    ///
    /// @param tags as [#header] writes them; empty for none
    public static SortedMap<String, String> with(SortedMap<String, String> headers, String tags) {
        var changed = new TreeMap<>(headers);
        changed.remove(HEADER);
        if (!tags.isEmpty()) {
            changed.put(HEADER, tags);
        }
        return changed;
    }
}
