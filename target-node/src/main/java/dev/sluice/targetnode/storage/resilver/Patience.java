package dev.sluice.targetnode.storage.resilver;

import java.time.Duration;

/// When to try again what failed: later each time.
record Patience(long untilNanos, Duration next) {
    static final Duration FIRST = Duration.ofSeconds(2);
    static final Duration LONGEST = Duration.ofMinutes(5);

    static Patience afterFirst(long nanos) {
        return new Patience(nanos + FIRST.toNanos(), FIRST.multipliedBy(2));
    }

    Patience afterNext(long nanos) {
        var longer = next.multipliedBy(2);
        return new Patience(nanos + next.toNanos(), longer.compareTo(LONGEST) > 0 ? LONGEST : longer);
    }

    boolean isOver(long nanos) {
        return nanos - untilNanos >= 0;
    }
}
