package dev.sluice.bench.load;

import java.time.Duration;

/// When to measure: requests count if they end after the warm-up and before the end. Afterwards nothing new is sent.
public record Window(long measuredFrom, long end) {
    private static final long WITHOUT_END = Long.MAX_VALUE / 4;

    /// From now: a warm-up that is not counted, then the measured time.
    public static Window of(Duration warmUp, Duration measured) {
        long from = System.nanoTime() + warmUp.toNanos();
        return new Window(from, from + measured.toNanos());
    }

    /// Until the workload has nothing more to send.
    public static Window untilDone() {
        long now = System.nanoTime();
        return new Window(now, now + WITHOUT_END);
    }

    boolean isOver(long now) {
        return now - end >= 0;
    }

    boolean counts(long now) {
        return now - measuredFrom >= 0 && !isOver(now);
    }

    long nanosLeft() {
        return end - System.nanoTime();
    }
}
