package dev.sluice.common.cluster.slots;

/// Epochs, and versions of the cluster's state, between two recoveries of the controllers' log: each recovery begins a
/// later generation (decision 56). Its number is the second of the recovery, from 2020 on.
public final class Generation {
    /// How many there are in one. A log gives fewer in a second.
    public static final long LENGTH = 1L << 20;

    /// No log gets there without a recovery: that would take 2^40 changes.
    private static final long FIRST = 1L << 20;

    private Generation() {}

    /// Of an epoch, or of a version of the state; 0 where no log was recovered.
    public static long of(long number) {
        long generation = number / LENGTH;
        return generation < FIRST ? 0 : generation;
    }
}
