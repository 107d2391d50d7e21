package dev.sluice.targetnode.controller.judge;

import dev.sluice.common.time.NanoClock;
import java.time.Duration;

/// Detects pauses of this process: a periodic check that runs late. Heartbeats may be waiting unread then. Keep the
/// work between checks short.
public final class PauseDetector {
    public static final Duration TICK = Duration.ofMillis(50);

    /// So late is every look on a busy machine.
    private static final Duration USUAL = Duration.ofMillis(50);

    private final NanoClock clock;
    private long looked;

    public PauseDetector(NanoClock clock) {
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
