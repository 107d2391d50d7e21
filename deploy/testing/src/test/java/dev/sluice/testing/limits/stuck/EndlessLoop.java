package dev.sluice.testing.limits.stuck;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/// Never looks whether it was interrupted.
final class EndlessLoop {
    @Test
    void computesForever() {
        var rounds = new AtomicLong();
        while (rounds.incrementAndGet() != 0) {
            Thread.onSpinWait();
        }
        assertThat(rounds).hasValue(0);
    }
}
