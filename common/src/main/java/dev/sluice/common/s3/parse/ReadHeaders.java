package dev.sluice.common.s3.parse;

import dev.sluice.common.http.Headers;
import dev.sluice.common.s3.ByteRange;
import dev.sluice.common.s3.Conditions;
import dev.sluice.common.s3.Conditions.IfRange;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.S3Header;
import java.time.Instant;
import java.util.Optional;
import java.util.function.BiConsumer;

/// What the headers say about a GET or HEAD, gathered in one pass and without garbage when they say nothing: this runs
/// on the event loop for every read.
final class ReadHeaders implements BiConsumer<String, String> {
    private Optional<String> ifMatch = Optional.empty();
    private Optional<String> ifNoneMatch = Optional.empty();
    private Optional<Instant> ifModifiedSince = Optional.empty();
    private Optional<Instant> ifUnmodifiedSince = Optional.empty();
    private Optional<ByteRange> range = Optional.empty();
    private Optional<IfRange> ifRange = Optional.empty();
    private boolean checksumMode;

    private ReadHeaders() {}

    static ReadHeaders of(Headers headers) {
        var read = new ReadHeaders();
        headers.forEach(read);
        return read;
    }

    @Override
    public void accept(String name, String value) {
        switch (name.isEmpty() ? 0 : name.charAt(0) | 0x20) {
            case 'r' -> {
                if (name.equalsIgnoreCase("range")) {
                    range = RangeHeader.parse(value);
                }
            }
            case 'i' -> condition(name, value);
            case 'x' -> {
                if (name.equalsIgnoreCase("x-amz-checksum-mode")) {
                    checksumMode = checksumMode(value);
                } else {
                    NotServed.refuseHeader(S3Header.In.READ, name, value);
                }
            }
            default -> {}
        }
    }

    Conditions conditions() {
        return ifMatch.isEmpty()
                        && ifNoneMatch.isEmpty()
                        && ifModifiedSince.isEmpty()
                        && ifUnmodifiedSince.isEmpty()
                        && ifRange.isEmpty()
                ? Conditions.NONE
                : new Conditions(ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince, ifRange);
    }

    Optional<ByteRange> range() {
        return range;
    }

    boolean checksumMode() {
        return checksumMode;
    }

    /// A malformed date is ignored, as RFC 9110 §13.1.3 asks.
    private void condition(String name, String value) {
        if (name.equalsIgnoreCase("if-match")) {
            ifMatch = Conditions.tags(ifMatch, value);
        } else if (name.equalsIgnoreCase("if-none-match")) {
            ifNoneMatch = Conditions.tags(ifNoneMatch, value);
        } else if (name.equalsIgnoreCase("if-modified-since")) {
            ifModifiedSince = HttpDate.parse(value);
        } else if (name.equalsIgnoreCase("if-unmodified-since")) {
            ifUnmodifiedSince = HttpDate.parse(value);
        } else if (name.equalsIgnoreCase("if-range")) {
            ifRange = Optional.of(
                    HttpDate.parse(value).map(IfRange::ofDate).orElseGet(() -> IfRange.ofTag(value.strip())));
        }
    }

    private static boolean checksumMode(String value) {
        if (!value.equalsIgnoreCase("ENABLED")) {
            throw S3Failure.invalidArgument("The value of x-amz-checksum-mode is not ENABLED: " + value);
        }
        return true;
    }
}
