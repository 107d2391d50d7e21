package dev.sluice.common.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RevalidateTest {
    @ParameterizedTest
    @CsvSource({"never, never", "always, always", "1s, 1s", "90s, 90s", "10m, 600s", "2h, 7200s", "1d, 86400s"})
    void showsInSecondsWhatUsersWrite(String written, String shown) {
        assertThat(Revalidate.of(written).text()).isEqualTo(shown);
        assertThat(Revalidate.of(shown)).isEqualTo(Revalidate.of(written));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0s", "500ms", "1500ms", "10", "1.5s", "-1s", "1w", "1 s", "Never", "1000000000s"})
    void refusesWhatIsNone(String written) {
        assertThatThrownBy(() -> Revalidate.of(written))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + written + "'");
    }

    @Test
    void isDueWhenTheLastComparisonIsOldEnough() {
        var minute = Revalidate.of("1m");
        assertThat(minute.isDue(1_000, 60_999)).isFalse();
        assertThat(minute.isDue(1_000, 61_000)).isTrue();
        assertThat(Revalidate.ALWAYS.isDue(1_000, 1_000)).isTrue();
        assertThat(Revalidate.NEVER.isDue(0, Long.MAX_VALUE)).isFalse();
    }

    @Test
    void isDueWhenTheClockWasSetBack() {
        assertThat(Revalidate.of("1m").isDue(1_000, 999)).isTrue();
    }
}
