package dev.sluice.deploy.harness;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/// Waits for what becomes true, and says what was not when the time is up.
public final class Eventually {
    private static final Duration PAUSE = Duration.ofMillis(50);

    private Eventually() {}

    /// Repeats the attempt until it neither throws nor fails an assertion; its last failure is thrown after
    /// the deadline.
    public static <T> T within(Duration limit, Callable<T> attempt) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (true) {
            try {
                return attempt.call();
            } catch (Exception | AssertionError failure) {
                if (System.nanoTime() > deadline) {
                    throw new AssertionError("not within " + limit + ": " + failure.getMessage(), failure);
                }
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    public static void holds(Duration limit, Runnable attempt) {
        within(limit, () -> {
            attempt.run();
            return true;
        });
    }
}
