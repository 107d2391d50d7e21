package dev.sluice.targetnode.storage.pace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RateLimiterTest {
    private static final long MIB = 1 << 20;
    private final FakeTicks ticks = new FakeTicks();
    private final AtomicInteger waiting = new AtomicInteger();
    private final RateLimiter pace = new RateLimiter(ticks, waiting::get);

    private double secondsFor(int reads, long rate) {
        double before = ticks.seconds();
        for (int i = 0; i < reads; i++) {
            pace.await(MIB, rate, () -> true);
        }
        return ticks.seconds() - before;
    }

    @Test
    void workIsSpreadEvenly() {
        assertThat(secondsFor(101, 10 * MIB)).isEqualTo(10, within(0.01));
    }

    @Test
    void withoutALimitNothingWaits() {
        assertThat(secondsFor(1000, 0)).isZero();
    }

    @Test
    void timeThatWasNotUsedIsNotCaughtUp() {
        secondsFor(1, 10 * MIB);
        ticks.letDaysPass();
        ticks.pause(Duration.ofHours(1).toNanos());
        assertThat(secondsFor(11, 10 * MIB)).isEqualTo(1, within(0.01));
    }

    @Test
    void itStandsStillWhileRequestsWaitButNotForEver() {
        waiting.set(3);
        assertThat(secondsFor(10, 0)).isEqualTo(10, within(0.1));
        waiting.set(0);
        assertThat(secondsFor(10, 0)).isZero();
    }

    @Test
    void whoIsNoLongerWantedDoesNotWait() {
        waiting.set(1);
        pace.await(1000 * MIB, MIB, () -> false);
        pace.await(MIB, MIB, () -> false);
        assertThat(ticks.seconds()).isZero();
    }
}
