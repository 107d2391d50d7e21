package dev.sluice.targetnode.replica;

import dev.sluice.common.time.BootClock;
import dev.sluice.common.time.NanoClock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/// The real clock, and what a test lets pass at once.
final class MovedClock implements NanoClock {
    private final NanoClock real = new BootClock();
    private final AtomicLong moved = new AtomicLong();

    void pass(Duration time) {
        moved.addAndGet(time.toNanos());
    }

    @Override
    public long nanos() {
        return real.nanos() + moved.get();
    }
}
