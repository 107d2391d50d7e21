package dev.sluice.targetnode.storage.pace;

import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;

/// Spreads a job's work on a drive evenly over time, and lets requests go first: while some wait in the drive's
/// queue it stands still, but not forever, or the job would never end on a drive that is always busy.
public final class RateLimiter {
    private static final long PATIENCE = 1_000_000_000;
    private static final long LOOK_AGAIN = 5_000_000;
    private static final long LOOK_WHETHER_WANTED = 50_000_000;

    private final Clock ticks;
    private final IntSupplier waiting;
    private long due;

    /// @param waiting how many requests wait for the drive
    public RateLimiter(Clock ticks, IntSupplier waiting) {
        this.ticks = ticks;
        this.waiting = waiting;
        this.due = ticks.nanos();
    }

    /// Returns when it is time for this work, at once with rate 0, or when there is no reason to go on.
    ///
    /// @param work in bytes
    /// @param rate of work a second; 0: no limit
    public void await(long work, long rate, BooleanSupplier wanted) {
        letOthersGo(wanted);
        if (rate == 0) {
            due = ticks.nanos();
            return;
        }
        for (long left = due - ticks.nanos(); left > 0 && wanted.getAsBoolean(); left = due - ticks.nanos()) {
            ticks.pause(Math.min(left, LOOK_WHETHER_WANTED));
        }
        due = Math.max(due, ticks.nanos()) + (long) (work * 1e9 / rate);
    }

    private void letOthersGo(BooleanSupplier wanted) {
        long until = ticks.nanos() + PATIENCE;
        while (waiting.getAsInt() > 0 && ticks.nanos() - until < 0 && wanted.getAsBoolean()) {
            ticks.pause(LOOK_AGAIN);
        }
    }
}
