package dev.sluice.targetnode.controller;

import dev.sluice.common.time.NanoClock;
import java.time.Duration;

/// Notices that this process stood still, or had no processor, by looks that come too late: beats of others may lie
/// unread then. What those who look do in between must be short.
final class Standstill {
    static final Duration TICK = Duration.ofMillis(50);

    /// So late is every look on a busy machine.
    private static final Duration USUAL = Duration.ofMillis(50);

    private final NanoClock clock;
    private long looked;

    Standstill(NanoClock clock) {
        this.clock = clock;
        this.looked = clock.nanos();
    }

    /// @return how long it stood still since the last look
    synchronized Duration look() {
        long now = clock.nanos();
        long late = now - looked - TICK.toNanos();
        looked = now;
        return late > USUAL.toNanos() ? Duration.ofNanos(late) : Duration.ZERO;
    }
}
