package dev.sluice.common.cluster.slots;

/// Epochs, and versions of the cluster's state, between two recoveries of the controllers' log: each recovery begins a
/// later generation (decision 56). They are never so many that a log reaches the next one by itself.
public final class Generation {
    /// How many there are.
    public static final long LENGTH = 1L << 20;

    private Generation() {}

    /// Of an epoch, or of a version of the state; 0 where no log was recovered.
    public static long of(long number) {
        return number / LENGTH;
    }
}
