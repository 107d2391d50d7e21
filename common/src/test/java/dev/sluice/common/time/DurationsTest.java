package dev.sluice.common.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationsTest {
    @ParameterizedTest
    @CsvSource({
        "0s, 0, 0s",
        "0d, 0, 0s",
        "250ms, 250, 250ms",
        "90s, 90000, 90s",
        "120s, 120000, 2m",
        "90m, 5400000, 90m",
        "36h, 129600000, 36h",
        "24h, 86400000, 1d",
        "999999999d, 86399999913600000, 999999999d"
    })
    void areShownInTheLargestUnitThatTellsThemWhole(String written, long millis, String shown) {
        assertThat(Durations.parse(written)).contains(Duration.ofMillis(millis));
        assertThat(Durations.text(Duration.ofMillis(millis))).isEqualTo(shown);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "10", "1.5s", "-1s", "1w", "1 s", " 1s", "1S", "1000000000s"})
    void haveNoOtherForm(String text) {
        assertThat(Durations.parse(text)).isEmpty();
    }
}
