package dev.sluice.common.concurrent;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class DeadlineTest {
    private static final Duration SHORT = Duration.ofMillis(500);
    private static final Duration LONG = Duration.ofMinutes(1);

    private static Duration left() {
        return Deadline.atMost(LONG);
    }

    @Test
    void onlyWorkThatHasALimitIsLimited() {
        assertThat(left()).isEqualTo(LONG);
        assertThat(Deadline.in(SHORT).<Duration>call(DeadlineTest::left)).isLessThanOrEqualTo(SHORT);
        assertThat(Deadline.in(SHORT).<Duration>call(() -> Deadline.atMost(Duration.ofMillis(1))))
                .isEqualTo(Duration.ofMillis(1));
        assertThat(left()).isEqualTo(LONG);
    }

    @Test
    void limitOfAPartIsNeverLaterThanThatOfTheWhole() {
        var left = Deadline.in(SHORT).<Duration>call(() -> Deadline.in(LONG).call(DeadlineTest::left));
        assertThat(left).isLessThanOrEqualTo(SHORT);
        assertThat(Deadline.in(SHORT).<Duration>call(() -> Deadline.lifted(DeadlineTest::left)))
                .isEqualTo(LONG);
    }

    @Test
    void nothingIsLeftAfterIt() {
        var over = Deadline.in(Duration.ofNanos(1));
        long end = System.nanoTime() + 1_000;
        while (System.nanoTime() <= end) {
            Thread.onSpinWait();
        }
        assertThat(over.<Duration>call(DeadlineTest::left)).isZero();
    }

    @Test
    void itGoesWithTheThreadsThatAreAsked() {
        var left = Deadline.in(SHORT).<List<Duration>>call(() -> AtOnce.ask(List.of(1, 2), _ -> left()));
        assertThat(left).hasSize(2).allSatisfy(each -> assertThat(each).isLessThanOrEqualTo(SHORT));
    }
}
