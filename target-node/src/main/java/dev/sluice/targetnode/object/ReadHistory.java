package dev.sluice.targetnode.object;

import dev.sluice.common.peer.ReadCounts;
import dev.sluice.common.peer.RecentReads;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/// How a bucket's counts stood at earlier times, so that it can be said what came since: 170 records of 32 bytes at
/// most. A span reaches back to the last record that is old enough, so it may be longer than its name, by one step.
final class ReadHistory {
    private final Records minute = new Records(Duration.ofMinutes(1), Duration.ofSeconds(5));
    private final Records hour = new Records(Duration.ofHours(1), Duration.ofMinutes(1));
    private final Records day = new Records(Duration.ofDays(1), Duration.ofMinutes(15));

    /// To be called every few seconds.
    ///
    /// @param counts since the start
    synchronized void record(long nanos, ReadCounts counts) {
        minute.record(nanos, counts);
        hour.record(nanos, counts);
        day.record(nanos, counts);
    }

    /// @param counts since the start
    /// @param unchecked since the start
    synchronized RecentReads recent(long nanos, ReadCounts counts, long unchecked) {
        return new RecentReads(
                minute.since(nanos, counts), hour.since(nanos, counts), day.since(nanos, counts), unchecked);
    }

    /// For one span of time.
    private static final class Records {
        private final long span;
        private final long step;
        private final Deque<Recorded> recorded = new ArrayDeque<>();

        private record Recorded(long nanos, ReadCounts counts) {}

        Records(Duration span, Duration step) {
            this.span = span.toNanos();
            this.step = step.toNanos();
        }

        void record(long nanos, ReadCounts counts) {
            if (!recorded.isEmpty() && nanos - recorded.getLast().nanos() < step) {
                return;
            }
            while (recorded.size() > span / step) {
                recorded.removeFirst();
            }
            recorded.addLast(new Recorded(nanos, counts));
        }

        ReadCounts since(long nanos, ReadCounts counts) {
            Optional<Recorded> before = Optional.empty();
            for (var each : recorded) {
                if (nanos - each.nanos() < span) {
                    break;
                }
                before = Optional.of(each);
            }
            return counts.minus(before.map(Recorded::counts).orElse(ReadCounts.NONE));
        }
    }
}
