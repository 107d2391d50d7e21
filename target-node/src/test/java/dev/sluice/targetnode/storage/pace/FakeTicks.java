package dev.sluice.targetnode.storage.pace;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/// A clock that only pauses move: a day passes as fast as somebody waits for it. It stands still for who has nothing to
/// do unless days are to pass.
public final class FakeTicks implements Clock {
    private static final long START_MILLIS = 1_800_000_000_000L;
    private static final long IDLE = 60_000_000_000L;
    private final AtomicLong nanos = new AtomicLong();
    private volatile boolean daysPass;

    public void letDaysPass() {
        daysPass = true;
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
        if (pause < IDLE || daysPass) {
            nanos.addAndGet(pause);
        }
        LockSupport.parkNanos(20_000); // so that whoever waits for nothing takes no core
    }

    public double seconds() {
        return nanos.get() / 1e9;
    }
}
