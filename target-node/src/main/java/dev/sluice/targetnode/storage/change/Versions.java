package dev.sluice.targetnode.storage.change;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.util.concurrent.atomic.AtomicLong;

/// Gives versions, each greater than all before it, also across restarts.
///
/// The drives' own versions have epoch 0, and the upper bits of their sequence count the starts of the store. Those of
/// replicated slots have the slot's epoch, which is never 0, and the sequence is the incarnation of this process and a
/// counter. So one of the first kind never equals one of the second.
public final class Versions {
    private static final int PER_START_BITS = 40;
    private static final int COUNTER_BITS = 32;
    private static final long GREATEST_COUNT = (1L << COUNTER_BITS) - 1;

    private final AtomicLong sequence = new AtomicLong();
    private final AtomicLong count;
    private volatile int incarnation;

    public Versions() {
        this(0);
    }

    /// @param counted how many replicated versions are taken for given
    Versions(long counted) {
        this.count = new AtomicLong(counted);
    }

    public ObjectVersion next() {
        return new ObjectVersion(ObjectVersion.OWN_EPOCH, sequence.incrementAndGet());
    }

    /// Starts above everything given before.
    ///
    /// @return what this start may give at most
    public synchronized long startAbove(long greatestKnown) {
        long start = greatestKnown >> PER_START_BITS;
        if (start >= sequence.get() >> PER_START_BITS) {
            sequence.set((start + 1) << PER_START_BITS);
        }
        return ((sequence.get() >> PER_START_BITS) << PER_START_BITS) + (1L << PER_START_BITS) - 1;
    }

    /// Says which incarnation of the target this process is: a later one when it has registered again.
    public synchronized void startAs(int itsIncarnation) {
        if (itsIncarnation < 1) {
            throw new IllegalArgumentException("incarnation " + itsIncarnation + " < 1");
        }
        if (itsIncarnation <= incarnation) {
            throw new IllegalStateException("this process is incarnation " + incarnation + " already");
        }
        incarnation = itsIncarnation;
    }

    /// A version of a replicated slot, after [#startAs].
    ///
    /// @param epoch the slot's
    /// @throws StoreException.Unavailable when this incarnation has given all it had
    public ObjectVersion replicated(long epoch) {
        if (epoch <= ObjectVersion.OWN_EPOCH) {
            throw new IllegalArgumentException("epoch " + epoch + " < 1");
        }
        if (incarnation == 0) {
            throw new IllegalStateException("the incarnation of this process is not known");
        }
        long next = count.updateAndGet(now -> Math.min(now + 1, GREATEST_COUNT + 1));
        if (next > GREATEST_COUNT) {
            throw new StoreException.Unavailable("this target has given all its versions: start it again");
        }
        return new ObjectVersion(epoch, ((long) incarnation << COUNTER_BITS) | next);
    }
}
