package dev.sluice.targetnode.replica.loop;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/// Batches of messages that have arrived and have no thread yet. Pings are answered without one, so a process that is
/// starved would look well by them alone. On any thread.
public final class WaitingBatches {
    static final Duration LONG = Duration.ofSeconds(1);

    /// By then the sender has given it up, and it may never have a thread.
    static final Duration FORGOTTEN = Duration.ofSeconds(3);

    private final LongSupplier clock;
    private final AtomicLong numbers = new AtomicLong();
    private final Map<Long, Long> arrived = new ConcurrentHashMap<>();

    /// @param clock in nanoseconds
    public WaitingBatches(LongSupplier clock) {
        this.clock = clock;
    }

    /// @return to be run when it has a thread
    public Runnable arrived() {
        long now = clock.getAsLong();
        arrived.values().removeIf(at -> now - at > FORGOTTEN.toNanos());
        long number = numbers.incrementAndGet();
        arrived.put(number, now);
        return () -> arrived.remove(number);
    }

    /// Whether one waits for long.
    public boolean isOneLate() {
        long now = clock.getAsLong();
        return arrived.values().stream().anyMatch(at -> now - at > LONG.toNanos() && now - at <= FORGOTTEN.toNanos());
    }
}
