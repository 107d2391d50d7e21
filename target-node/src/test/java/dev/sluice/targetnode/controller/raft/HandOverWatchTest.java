package dev.sluice.targetnode.controller.raft;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class HandOverWatchTest {
    private long now;
    private final HandOverWatch watch = new HandOverWatch(() -> now);

    private void refuse(int afterMillis) {
        now += Duration.ofMillis(afterMillis).toNanos();
        watch.refused();
    }

    @Test
    void aLeaderThatRefusesForTwoSecondsIsStuck() {
        for (int i = 0; i < 20; i++) {
            refuse(100);
            assertThat(watch.isStuck()).isFalse();
        }
        refuse(200);
        assertThat(watch.isStuck()).isTrue();
    }

    @Test
    void oneThatTakesAnEntryInBetweenIsNot() {
        for (int i = 0; i < 20; i++) {
            refuse(1_500);
            watch.taken();
        }
        assertThat(watch.isStuck()).isFalse();
    }

    @Test
    void refusalsOfTwoAttemptsDoNotCountTogether() {
        refuse(100);
        refuse(90_000);
        assertThat(watch.isStuck()).isFalse();
    }
}
