package dev.sluice.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.store.StoreException;
import java.time.Duration;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class BackendBudgetTest {
    private static Duration requests(BackendBudget budget, int number) {
        long began = System.nanoTime();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < number; i++) {
                threads.execute(() -> budget.acquire().release());
            }
        }
        return Duration.ofNanos(System.nanoTime() - began);
    }

    @Test
    void requestsWaitForTheirTurnAtARate() {
        var budget = new BackendBudget(BackendSettings.DEFAULT.requestsPerSecond(100));
        assertThat(requests(budget, 150)).isBetween(Duration.ofMillis(1300), Duration.ofSeconds(10));
    }

    @Test
    void unusedSecondMayBeUsedAtOnce() throws InterruptedException {
        var budget = new BackendBudget(BackendSettings.DEFAULT.requestsPerSecond(100));
        assertThat(requests(budget, 1)).isLessThan(Duration.ofSeconds(1));
        Thread.sleep(Duration.ofMillis(1100)); // time is what is tested
        assertThat(requests(budget, 100)).isLessThan(Duration.ofMillis(500));
    }

    @Test
    void noRateIsNoLimit() {
        assertThat(requests(new BackendBudget(BackendSettings.DEFAULT), 5000)).isLessThan(Duration.ofSeconds(5));
    }

    @Test
    void requestWithoutATurnInTimeIsRefusedAndHoldsNoConnection() {
        var usual = BackendSettings.DEFAULT;
        var budget = new BackendBudget(new BackendSettings(
                usual.maxConnections(),
                1,
                usual.connectTimeout(),
                usual.readTimeout(),
                Duration.ofMillis(10),
                usual.attempts(),
                usual.firstBackoff(),
                usual.longestBackoff(),
                usual.multipartThreshold(),
                usual.partSize()));
        budget.acquire().release();
        assertThatThrownBy(budget::acquire)
                .isInstanceOf(StoreException.Unavailable.class)
                .hasMessageContaining("1 a second");
        assertThat(budget.inUse()).isZero();
    }
}
