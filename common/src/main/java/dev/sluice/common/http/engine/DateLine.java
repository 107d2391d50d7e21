package dev.sluice.common.http.engine;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/// The value of the Date header, formatted once a second.
final class DateLine {
    private static final DateTimeFormatter FORMAT = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private volatile Formatted last = new Formatted(0, new byte[0]);

    byte[] now() {
        long second = System.currentTimeMillis() / 1000;
        var seen = last;
        if (seen.second != second) {
            seen = new Formatted(
                    second, FORMAT.format(Instant.ofEpochSecond(second)).getBytes(StandardCharsets.US_ASCII));
            last = seen;
        }
        return seen.text;
    }

    /// Not a record: arrays have no value semantics.
    private static final class Formatted {
        private final long second;
        private final byte[] text;

        private Formatted(long second, byte[] text) {
            this.second = second;
            this.text = text;
        }
    }
}
