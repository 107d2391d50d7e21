package dev.sluice.targetnode.controller.judge;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class PauseDetectorTest {
    private final FakeClock clock = new FakeClock();
    private final PauseDetector pauses = new PauseDetector(clock);

    @Test
    void looksThatAreALittleLateAreNoStandstill() {
        for (int millis : new int[] {0, 10, 50, 99, 100}) {
            clock.passes(millis);
            assertThat(pauses.look()).as("after %d ms", millis).isZero();
        }
    }

    @Test
    void standstillIsCountedOnce() {
        clock.passes(5050);
        assertThat(pauses.look()).isEqualTo(Duration.ofSeconds(5));
        assertThat(pauses.look()).isZero();
        clock.passes(101);
        assertThat(pauses.look()).isEqualTo(Duration.ofMillis(51));
    }
}
