package dev.sluice.testing;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/// Waits for what other threads, or other processes, are about to do.
public final class Eventually {
    /// For a busy machine: what takes so long does not come.
    private static final Duration USUAL = Duration.ofSeconds(40);

    /// Between two looks. Some of them cost a millisecond, in several tests at once.
    private static final long SHORTEST_PAUSE = 500_000;

    private static final long LONGEST_PAUSE = 8_000_000;

    private Eventually() {}

    public static void eventually(BooleanSupplier holds) {
        eventually(USUAL, holds);
    }

    public static void eventually(Duration limit, BooleanSupplier holds) {
        eventually(limit, holds, () -> "it never came to hold");
    }

    public static void eventually(String what, BooleanSupplier holds) {
        eventually(USUAL, holds, () -> "never: " + what);
    }

    /// @param otherwise what is so instead, for the failure
    public static void eventually(BooleanSupplier holds, Supplier<String> otherwise) {
        eventually(USUAL, holds, otherwise);
    }

    private static void eventually(Duration limit, BooleanSupplier holds, Supplier<String> otherwise) {
        long end = System.nanoTime() + limit.toNanos();
        for (long pause = SHORTEST_PAUSE; !holds.getAsBoolean(); pause = Math.min(2 * pause, LONGEST_PAUSE)) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError(otherwise.get());
            }
            LockSupport.parkNanos(pause);
        }
    }
}
