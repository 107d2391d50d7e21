package dev.sluice.targetnode.storage.pace;

import java.util.Optional;

/// How fast a job has been lately: since the last but one of marks that are ten seconds apart.
public final class Throughput {
    private static final long APART = 10_000_000_000L;

    /// How far it was at some time.
    private record Mark(long nanos, long work, long bytes) {}

    private final Clock ticks;
    private Mark before;
    private Mark last;
    private Mark newest;

    public Throughput(Clock ticks) {
        this.ticks = ticks;
        this.before = new Mark(ticks.nanos(), 0, 0);
        this.last = before;
        this.newest = before;
    }

    public synchronized void begin(long work, long bytes) {
        before = new Mark(ticks.nanos(), work, bytes);
        last = before;
        newest = before;
    }

    public synchronized void at(long work, long bytes) {
        newest = new Mark(ticks.nanos(), work, bytes);
        if (newest.nanos - last.nanos >= APART) {
            before = last;
            last = newest;
        }
    }

    private double seconds() {
        return Math.max(1, newest.nanos - before.nanos) / 1e9;
    }

    /// Bytes a second.
    public synchronized long bytes() {
        return (long) ((newest.bytes - before.bytes) / seconds());
    }

    /// @return empty when it cannot be foretold yet
    public synchronized Optional<Long> secondsFor(long work) {
        double each = (newest.work - before.work) / seconds();
        return each > 0 ? Optional.of((long) Math.ceil(work / each)) : Optional.empty();
    }
}
