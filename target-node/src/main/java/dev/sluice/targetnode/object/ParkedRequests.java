package dev.sluice.targetnode.object;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/// Requests for slots that this target does not serve now, but may serve soon. Nothing of their bodies has been asked
/// for, and what comes all the same is not read on, so one holds a connection and little else.
public final class ParkedRequests {
    private static final int MOST = 1024;
    private static final Duration PATIENCE = Duration.ofSeconds(4);
    private static final Duration PAUSE = Duration.ofMillis(25);

    private final int most;
    private final AtomicInteger waiting = new AtomicInteger();
    private final Counter served;
    private final Counter refused;

    public ParkedRequests(MeterRegistry meters, Tags tags) {
        this(meters, tags, MOST);
    }

    /// @param most how many may wait at once
    public ParkedRequests(MeterRegistry meters, Tags tags, int most) {
        this.most = most;
        Gauge.builder("sluice.parked", waiting, AtomicInteger::get)
                .description("requests that wait until this target serves their slot")
                .tags(tags)
                .register(meters);
        served = counter(meters, tags, "served");
        refused = counter(meters, tags, "refused");
    }

    private static Counter counter(MeterRegistry meters, Tags tags, String result) {
        return Counter.builder("sluice.parked.ended")
                .description("requests that have waited until this target served their slot, or in vain")
                .tags(tags.and("result", result))
                .register(meters);
    }

    /// Blocks.
    ///
    /// @param isGone whether nobody waits for the answer any more: then it must not be served
    /// @return false when it is not served in time, nobody waits, or too many do
    public boolean await(BooleanSupplier isServed, BooleanSupplier isGone) {
        boolean in = false;
        if (waiting.incrementAndGet() <= most) {
            long end = System.nanoTime() + PATIENCE.toNanos();
            in = isServed.getAsBoolean();
            while (!in
                    && System.nanoTime() < end
                    && !isGone.getAsBoolean()
                    && !Thread.currentThread().isInterrupted()) {
                LockSupport.parkNanos(PAUSE.toNanos());
                in = isServed.getAsBoolean();
            }
            in = in && !isGone.getAsBoolean();
        }
        waiting.decrementAndGet();
        (in ? served : refused).increment();
        return in;
    }
}
