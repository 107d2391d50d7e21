package dev.sluice.targetnode.storage.change;

import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.util.concurrent.atomic.AtomicLong;

/// Gives versions, each greater than all before it, also across restarts: the upper bits of the sequence count the
/// starts of the store.
public final class Versions {
    private static final int PER_START_BITS = 40;

    private final long epoch;
    private final AtomicLong sequence = new AtomicLong();

    public Versions(long epoch) {
        this.epoch = epoch;
    }

    public ObjectVersion next() {
        return new ObjectVersion(epoch, sequence.incrementAndGet());
    }

    /// Starts above everything given before.
    ///
    /// @return what this start may give at most
    public synchronized long startAbove(long greatestKnown) {
        long start = greatestKnown >> PER_START_BITS;
        if (start >= sequence.get() >> PER_START_BITS) {
            sequence.set(start + 1 << PER_START_BITS);
        }
        return (sequence.get() >> PER_START_BITS << PER_START_BITS) + (1L << PER_START_BITS) - 1;
    }
}
