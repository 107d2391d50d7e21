package dev.sluice.targetnode.controller.judge;

import dev.sluice.common.time.NanoClock;
import java.util.concurrent.atomic.AtomicLong;

/// Stands still until it is moved.
public final class FakeClock implements NanoClock {
    private final AtomicLong nanos = new AtomicLong(5_000_000_000L);

    @Override
    public long nanos() {
        return nanos.get();
    }

    public void passes(long millis) {
        nanos.addAndGet(millis * 1_000_000);
    }
}
