package dev.sluice.common.s3.parse;

import dev.sluice.common.s3.S3Failure;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Dates in conditions: the three forms of RFC 9110 §5.6.7, and ISO 8601, which S3 takes too.
final class HttpDate {
    private static final List<DateTimeFormatter> FORMS = List.of(
            DateTimeFormatter.RFC_1123_DATE_TIME,
            DateTimeFormatter.ISO_OFFSET_DATE_TIME,
            new DateTimeFormatterBuilder()
                    .parseCaseInsensitive()
                    .appendPattern("EEEE, dd-MMM-")
                    .appendValueReduced(ChronoField.YEAR, 2, 2, 1970)
                    .appendPattern(" HH:mm:ss 'GMT'")
                    .toFormatter(Locale.US)
                    .withZone(ZoneOffset.UTC),
            DateTimeFormatter.ofPattern("EEE MMM ppd HH:mm:ss yyyy", Locale.US).withZone(ZoneOffset.UTC));

    private HttpDate() {}

    /// InvalidArgument when it is no date.
    static Instant required(String name, String text) {
        return parse(text)
                .orElseThrow(() ->
                        S3Failure.invalidArgument(name, text, "The value of " + name + " is not a date: " + text));
    }

    /// Empty when it is no date.
    static Optional<Instant> parse(String text) {
        for (var form : FORMS) {
            try {
                return Optional.of(form.parse(text, Instant::from));
            } catch (DateTimeException _) {
                // Not in this form; perhaps in the next.
            }
        }
        return Optional.empty();
    }
}
