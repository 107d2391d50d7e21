package dev.sluice.targetnode.controller.raft;

import java.io.IOException;
import java.time.Duration;
import java.util.function.LongSupplier;

/// Looks whether the drive of a leader takes entries. Nothing is committed without the leader's own copy, so one whose
/// drive hangs must not go on to keep the others from electing somebody else.
final class FlushWatch {
    private static final Duration MOST = Duration.ofSeconds(1);

    private final LongSupplier last;
    private final LongSupplier flushed;
    private final LongSupplier clock;
    private long flushedBefore = Long.MIN_VALUE;
    private long since;

    /// @param last the index of the last entry
    /// @param flushed that of the last one which is on the drive
    /// @param clock in nanoseconds
    FlushWatch(LongSupplier last, LongSupplier flushed, LongSupplier clock) {
        this.last = last;
        this.flushed = flushed;
        this.clock = clock;
    }

    /// @throws IOException when entries wait, and the drive has taken none for a second
    synchronized void require() throws IOException {
        long now = clock.getAsLong();
        long on = flushed.getAsLong();
        if (on != flushedBefore || last.getAsLong() <= on) {
            flushedBefore = on;
            since = now;
        } else if (now - since > MOST.toNanos()) {
            throw new IOException("the drive of this server has taken no entry for %d ms: another is to lead"
                    .formatted((now - since) / 1_000_000));
        }
    }
}
