package dev.sluice.targetnode.controller.judge;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class StandstillTest {
    private final FakeClock clock = new FakeClock();
    private final Standstill standstill = new Standstill(clock);

    @Test
    void looksThatAreALittleLateAreNoStandstill() {
        for (int millis : new int[] {0, 10, 50, 99, 100}) {
            clock.passes(millis);
            assertThat(standstill.look()).as("after %d ms", millis).isZero();
        }
    }

    @Test
    void standstillIsCountedOnce() {
        clock.passes(5050);
        assertThat(standstill.look()).isEqualTo(Duration.ofSeconds(5));
        assertThat(standstill.look()).isZero();
        clock.passes(101);
        assertThat(standstill.look()).isEqualTo(Duration.ofMillis(51));
    }
}
