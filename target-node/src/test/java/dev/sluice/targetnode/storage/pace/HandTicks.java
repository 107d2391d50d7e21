package dev.sluice.targetnode.storage.pace;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/// A clock that stands still until the test moves it; whoever waits for it looks again and again.
public final class HandTicks implements Clock {
    private static final long START_MILLIS = 1_800_000_000_000L;
    private final AtomicLong nanos = new AtomicLong();

    public void advance(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Override
    public long nanos() {
        return nanos.get();
    }

    @Override
    public long millis() {
        return START_MILLIS + nanos.get() / 1_000_000;
    }

    @Override
    public void pause(long pause) {
        LockSupport.parkNanos(100_000);
    }
}
