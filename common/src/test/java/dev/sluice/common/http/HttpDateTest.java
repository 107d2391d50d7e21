package dev.sluice.common.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HttpDateTest {
    private static final DateTimeFormatter ORACLE = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US)
            .withZone(ZoneOffset.UTC);

    @Test
    void rfc9110sExample() {
        assertThat(HttpDate.format(Instant.ofEpochSecond(784_111_777))).isEqualTo("Sun, 06 Nov 1994 08:49:37 GMT");
    }

    @Test
    void anySecondIsWrittenAsTheGeneralFormatterWritesIt() {
        var random = new Random(20261121);
        for (int i = 0; i < 20_000; i++) {
            var instant = Instant.ofEpochSecond(random.nextLong(-62_000_000_000L, 253_000_000_000L));
            assertThat(HttpDate.format(instant)).isEqualTo(ORACLE.format(instant));
        }
    }
}
