package dev.sluice.targetnode.controller.judge;

import dev.sluice.common.time.NanoClock;
import java.time.Duration;

/// Notices that this process stood still, or had no processor, by looks that come too late: beats of others may lie
/// unread then. What those who look do in between must be short.
public final class Standstill {
    public static final Duration TICK = Duration.ofMillis(50);

    /// So late is every look on a busy machine.
    private static final Duration USUAL = Duration.ofMillis(50);

    private final NanoClock clock;
    private long looked;

    public Standstill(NanoClock clock) {
        this.clock = clock;
        this.looked = clock.nanos();
    }

    /// @return how long it stood still since the last look
    public synchronized Duration look() {
        long now = clock.nanos();
        long late = now - looked - TICK.toNanos();
        looked = now;
        return late > USUAL.toNanos() ? Duration.ofNanos(late) : Duration.ZERO;
    }
}
