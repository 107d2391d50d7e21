package dev.sluice.targetnode.object;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.peer.ReadCounts;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class ReadHistoryTest {
    private static final Duration ROUND = Duration.ofSeconds(5);

    private final ReadHistory history = new ReadHistory();
    private long now = -Duration.ofHours(3).toNanos(); // a clock may begin anywhere
    private long hits;

    private ReadCounts counts() {
        return new ReadCounts(hits, 2 * hits, 10 * hits, 5 * hits);
    }

    /// One hit before each round.
    private void pass(Duration time) {
        for (long left = time.toNanos(); left > 0; left -= ROUND.toNanos()) {
            hits++;
            now += ROUND.toNanos();
            history.record(now, counts());
        }
    }

    @Test
    void allCountsWhileTheTargetIsYoung() {
        pass(Duration.ofSeconds(30));
        var recent = history.recent(now, counts(), 0);
        assertThat(recent.minute()).isEqualTo(new ReadCounts(6, 12, 60, 30));
        assertThat(recent.hour()).isEqualTo(recent.minute());
        assertThat(recent.day()).isEqualTo(recent.minute());
    }

    @Test
    void eachSpanTellsWhatCameInIt() {
        pass(Duration.ofDays(2));
        var recent = history.recent(now, counts(), 0);
        assertThat(recent.minute().hits()).isEqualTo(12);
        assertThat(recent.hour().hits()).isBetween(720L, 720L + 12);
        assertThat(recent.day().hits()).isBetween(17_280L, 17_280L + 180);
        assertThat(recent.day().cloudBytes()).isEqualTo(5 * recent.day().hits());
    }

    @Test
    void oldReadsLeaveTheirSpan() {
        pass(Duration.ofMinutes(5));
        long read = hits;
        for (int i = 0; i < 14; i++) { // nothing is read for 70 s
            now += ROUND.toNanos();
            history.record(now, counts());
        }
        assertThat(history.recent(now, counts(), 0).minute()).isEqualTo(ReadCounts.NONE);
        assertThat(history.recent(now, counts(), 0).hour().hits()).isEqualTo(read);
    }

    @Test
    void readsBetweenTwoRoundsCountAtOnce() {
        pass(Duration.ofMinutes(10));
        hits += 100;
        assertThat(history.recent(now + 1, counts(), 0).minute().hits()).isEqualTo(112);
    }

    @Test
    void roundsThatComeLateMakeTheSpanLongerAndNotWrong() {
        pass(Duration.ofMinutes(10));
        hits += 100;
        now += Duration.ofMinutes(7).toNanos();
        assertThat(history.recent(now, counts(), 0).minute().hits()).isEqualTo(100);
        history.record(now, counts());
        assertThat(history.recent(now, counts(), 0).minute().hits()).isEqualTo(100);
    }
}
