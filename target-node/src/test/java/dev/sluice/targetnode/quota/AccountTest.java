package dev.sluice.targetnode.quota;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AccountTest {
    private final Account account = new Account();
    private long here;

    private boolean reserve(long more) {
        return account.reserve(more, () -> here, 100);
    }

    /// Two replicas of 30: one is here at once, the other target says so later.
    @Test
    void whatAWriteAddedElsewhereCountsUntilTheOthersWereAskedAfterIt() {
        assertThat(reserve(60)).isTrue();
        assertThat(reserve(41)).isFalse();
        here = 30;
        account.release(60, 30);
        assertThat(account.reserved()).isZero();
        assertThat(account.counted()).isEqualTo(30);
        assertThat(reserve(41)).isFalse();
        account.heard();
        assertThat(account.counted())
                .as("they may have been asked before it ended")
                .isEqualTo(30);
        account.heard();
        assertThat(account.counted()).isZero();
        assertThat(reserve(70)).isTrue();
    }

    @Test
    void whatIsOnThisTargetAloneCountsNoMoreWhenItIsTaken() {
        assertThat(reserve(60)).isTrue();
        account.release(60, 0);
        assertThat(account.counted()).isZero();
    }
}
