package dev.sluice.testing.limits.stuck;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// One of several tests that run at once does not end. The others do.
@Execution(ExecutionMode.CONCURRENT)
final class OneOfMany {
    private final AtomicLong rounds = new AtomicLong();

    @Test
    void goesOnBesideOthers() {
        while (rounds.incrementAndGet() != 0) {
            Thread.onSpinWait();
        }
        assertThat(rounds).hasValue(0);
    }

    @RepeatedTest(20)
    void ends() {
        assertThat(rounds.incrementAndGet()).isPositive();
    }
}
