package dev.sluice.targetnode.controller;

import dev.sluice.common.time.NanoClock;
import java.util.concurrent.atomic.AtomicLong;

/// Stands still until it is moved.
final class FakeClock implements NanoClock {
    private final AtomicLong nanos = new AtomicLong(5_000_000_000L);

    @Override
    public long nanos() {
        return nanos.get();
    }

    void passes(long millis) {
        nanos.addAndGet(millis * 1_000_000);
    }
}
