package dev.sluice.targetnode.controller.raft;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class FlushWatchTest {
    private long last;
    private long flushed;
    private long now;
    private final FlushWatch watch = new FlushWatch(() -> last, () -> flushed, () -> now);

    private void pass(int millis) {
        now += Duration.ofMillis(millis).toNanos();
    }

    private void goesOn() {
        assertThatCode(watch::require).doesNotThrowAnyException();
    }

    @Test
    void aDriveThatTakesNothingForASecondEndsTheLead() {
        goesOn();
        last = 5;
        goesOn();
        pass(900);
        goesOn();
        pass(200);
        assertThatThrownBy(watch::require).isInstanceOf(IOException.class).hasMessageContaining("another is to lead");
        flushed = 5;
        goesOn();
    }

    @Test
    void aDriveThatIsBehindAndGoesOnDoesNot() {
        for (int step = 0; step < 100; step++) {
            last += 10;
            flushed += 1;
            goesOn();
            pass(900);
        }
    }

    @Test
    void aLogThatNobodyWritesToIsNotBehind() {
        goesOn();
        pass(60_000);
        goesOn();
        last++;
        goesOn();
    }
}
