package dev.sluice.targetnode.controller.raft;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/// Looks whether a leader hands over for ever. While it does, it refuses every entry, and Ratis (3.3.0) forgets to end
/// an attempt that fails before it has begun: the follower has no appender just then, or cannot be called at all.
final class HandOverWatch {
    /// An attempt ends by itself much earlier.
    static final Duration LONGEST = Duration.ofSeconds(2);

    /// A refusal of before is of another attempt.
    private static final Duration FORGOTTEN = Duration.ofMinutes(1);

    private final LongSupplier clock;
    private OptionalLong first = OptionalLong.empty();
    private long last;
    private boolean stuck;

    /// @param clock in nanoseconds
    HandOverWatch(LongSupplier clock) {
        this.clock = clock;
    }

    /// An entry was refused because the leader hands over.
    synchronized void refused() {
        long now = clock.getAsLong();
        if (first.isEmpty() || now - last > FORGOTTEN.toNanos()) {
            first = OptionalLong.of(now);
        }
        last = now;
        stuck |= now - first.getAsLong() > LONGEST.toNanos();
    }

    /// An entry was taken.
    synchronized void taken() {
        first = OptionalLong.empty();
    }

    synchronized boolean isStuck() {
        return stuck;
    }
}
