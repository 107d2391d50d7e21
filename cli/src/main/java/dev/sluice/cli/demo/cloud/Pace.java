package dev.sluice.cli.demo.cloud;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/// A line of a given speed, shared by many streams: a token bucket which may run into debt and is paid by waiting. It
/// keeps one number, the time at which all bytes so far have passed. Unused time is forgotten beyond a short burst.
/// Safe for many threads; waiting holds no lock.
final class Pace {
    private static final long BURST_NANOS = 10_000_000;

    private final double nanosPerByte;
    private final LongSupplier clock;
    private final LongConsumer sleep;
    private long passed;

    Pace(long bytesPerSecond) {
        this(bytesPerSecond, System::nanoTime, LockSupport::parkNanos);
    }

    Pace(long bytesPerSecond, LongSupplier clock, LongConsumer sleep) {
        if (bytesPerSecond < 1) {
            throw new IllegalArgumentException("a line of " + bytesPerSecond + " bytes a second");
        }
        this.nanosPerByte = 1e9 / bytesPerSecond;
        this.clock = clock;
        this.sleep = sleep;
        this.passed = clock.getAsLong();
    }

    /// Waits until these bytes may pass.
    void await(int bytes) {
        long due = reserve(bytes);
        for (long left = due - clock.getAsLong(); left > 0; left = due - clock.getAsLong()) {
            sleep.accept(left);
        }
    }

    private synchronized long reserve(int bytes) {
        passed = Math.max(passed, clock.getAsLong() - BURST_NANOS) + Math.round(bytes * nanosPerByte);
        return passed;
    }
}
