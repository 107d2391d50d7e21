package dev.sluice.common.auth;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

/// The moment a client says it signed at.
///
/// @param text as SigV4 signs it: `20260131T235959Z`
record RequestTime(Instant instant, String text) {
    /// How far a client's clock may be off, either way.
    static final Duration WINDOW = Duration.ofMinutes(15);

    private static final DateTimeFormatter BASIC =
            DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

    String date() {
        return text.substring(0, 8);
    }

    boolean skewed(Instant now) {
        return Duration.between(instant, now).abs().compareTo(WINDOW) > 0;
    }

    static RequestTime of(Instant instant) {
        return new RequestTime(instant, BASIC.format(instant));
    }

    static Optional<RequestTime> ofBasic(String text) {
        if (text.length() != 16 || text.charAt(8) != 'T' || text.charAt(15) != 'Z') {
            return Optional.empty();
        }
        for (int i = 0; i < 15; i++) {
            if (i != 8 && (text.charAt(i) < '0' || text.charAt(i) > '9')) {
                return Optional.empty();
            }
        }
        try {
            var time = LocalDateTime.of(
                    number(text, 0, 4),
                    number(text, 4, 6),
                    number(text, 6, 8),
                    number(text, 9, 11),
                    number(text, 11, 13),
                    number(text, 13, 15));
            return Optional.of(new RequestTime(time.toInstant(ZoneOffset.UTC), text));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    /// A Date header, or whatever else SigV2 clients put there.
    static Optional<RequestTime> ofAny(String text) {
        var basic = ofBasic(text);
        if (basic.isPresent()) {
            return basic;
        }
        try {
            var instant = Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(text));
            return Optional.of(of(instant));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    private static int number(String text, int from, int to) {
        return Integer.parseInt(text, from, to, 10);
    }
}
