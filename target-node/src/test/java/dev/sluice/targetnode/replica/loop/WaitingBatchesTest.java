package dev.sluice.targetnode.replica.loop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WaitingBatchesTest {
    private long now;
    private final WaitingBatches batches = new WaitingBatches(() -> now);

    private void pass(long millis) {
        now += millis * 1_000_000;
    }

    @Test
    void batchThatWaitsForASecondIsLateUntilItHasAThread() {
        var first = batches.arrived();
        assertThat(batches.isOneLate()).isFalse();
        pass(600);
        var second = batches.arrived();
        pass(401);
        assertThat(batches.isOneLate()).isTrue();
        first.run();
        assertThat(batches.isOneLate()).isFalse();
        pass(600);
        assertThat(batches.isOneLate()).isTrue();
        second.run();
        assertThat(batches.isOneLate()).isFalse();
    }

    /// Its client may have gone before the last byte of it came.
    @Test
    void batchThatNeverGetsAThreadIsForgotten() {
        var _ = batches.arrived();
        pass(3_001);
        assertThat(batches.isOneLate()).isFalse();
        var _ = batches.arrived();
        pass(1_001);
        assertThat(batches.isOneLate()).isTrue();
    }
}
