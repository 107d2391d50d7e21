package dev.sluice.targetnode.controller;

import dev.sluice.common.time.NanoClock;

/// Stands still until it is moved.
final class FakeClock implements NanoClock {
    private volatile long nanos = 5_000_000_000L;

    @Override
    public long nanos() {
        return nanos;
    }

    void passes(long millis) {
        nanos += millis * 1_000_000;
    }
}
