package dev.sluice.common.s3.parse;

import dev.sluice.common.s3.ByteRange;
import dev.sluice.common.s3.S3Failure;
import java.util.Optional;

/// `Range: bytes=…`. What is malformed, of another unit, or names several ranges is ignored, so that the whole
/// object is sent with status 200: RFC 9110 §14.2 lets a server do so for any request, and a client that gets
/// 200 never takes the bytes for a part.
final class RangeHeader {
    private RangeHeader() {}

    static Optional<ByteRange> parse(String header) {
        if (!header.regionMatches(true, 0, "bytes=", 0, 6)) {
            return Optional.empty();
        }
        int dash = header.indexOf('-', 6);
        if (dash < 0) {
            return Optional.empty();
        }
        int end = header.length();
        while (end > dash + 1 && header.charAt(end - 1) == ' ') {
            end--;
        }
        long from = number(header, 6, dash);
        long to = number(header, dash + 1, end);
        if (dash == 6) {
            return to < 0 ? Optional.empty() : Optional.of(new ByteRange.Last(to));
        }
        if (from < 0 || (to < 0 && end > dash + 1)) {
            return Optional.empty();
        }
        if (end == dash + 1) {
            return Optional.of(new ByteRange.FromTo(from, Long.MAX_VALUE));
        }
        return from > to ? Optional.empty() : Optional.of(new ByteRange.FromTo(from, to));
    }

    /// x-amz-copy-source-range: here a mistake would copy the wrong bytes, so it is refused, as in S3.
    static ByteRange copySource(String header) {
        var range = parse(header);
        if (range.isPresent() && range.get() instanceof ByteRange.FromTo(var _, var to) && to != Long.MAX_VALUE) {
            return range.get();
        }
        throw S3Failure.invalidArgument(
                "x-amz-copy-source-range",
                header,
                "The x-amz-copy-source-range value must be of the form bytes=first-last where"
                        + " first and last are the zero-based offsets of the first and last bytes to copy");
    }

    /// The number, the largest there is when it is larger, or -1 when it is none.
    private static long number(String text, int from, int to) {
        if (from == to) {
            return -1;
        }
        long value = 0;
        for (int i = from; i < to; i++) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            value = value > (Long.MAX_VALUE - digit) / 10 ? Long.MAX_VALUE : value * 10 + digit;
        }
        return value;
    }
}
