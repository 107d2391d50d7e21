package dev.sluice.targetnode.storage.space;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// A drive of 10,000 bytes with a reserve of 1,000: full until 1,100 are free.
class FullnessTest {
    private static final long TOTAL = 10_000;
    private static final long RESERVE = 1_000;

    private final Fullness fullness = new Fullness();

    private boolean isFullWith(long free) {
        fullness.measured(free, RESERVE, TOTAL, false);
        return fullness.isFull();
    }

    @Test
    void driveIsFullBelowTheReserveUntilClearlyMoreIsFree() {
        assertThat(isFullWith(1_000)).isFalse();
        assertThat(isFullWith(999)).isTrue();
        assertThat(isFullWith(1_099)).as("a little more").isTrue();
        assertThat(isFullWith(1_100)).isFalse();
        assertThat(isFullWith(1_050)).as("it was not short of room since").isFalse();
    }

    @Test
    void refusedWriteMakesADriveFull() {
        fullness.refused(1_050, RESERVE, TOTAL);
        assertThat(isFullWith(1_050)).isTrue();
        assertThat(isFullWith(1_100)).isFalse();
    }

    /// Nearly all others fit.
    @Test
    void refusalOfALargeWriteDoesNotMakeADriveFullThatHasRoom() {
        fullness.refused(5_000, RESERVE, TOTAL);
        assertThat(fullness.isFull()).isFalse();
    }

    @Test
    void driveThatCanEvictIsNotFull() {
        fullness.measured(10, RESERVE, TOTAL, true);
        assertThat(fullness.isFull()).isFalse();
    }

    /// It has no more file nodes, for example.
    @Test
    void driveWhoseFileSystemTookNoMoreIsFullUntilMoreIsFreeThanThen() {
        fullness.ranOut(6_000, RESERVE, TOTAL);
        assertThat(isFullWith(6_099)).isTrue();
        fullness.refused(900, RESERVE, TOTAL);
        assertThat(isFullWith(6_099)).isTrue();
        assertThat(isFullWith(6_100)).isFalse();
    }

    @Test
    void emptyDriveWithoutAReserveIsNotFull() {
        fullness.measured(0, 0, 0, false);
        assertThat(fullness.isFull()).isFalse();
    }
}
