package dev.sluice.common.http.engine;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/// What one server counts. One object per node: several nodes in one process share the registry, told apart by tag.
public final class EngineMetrics {
    private final LongAdder bytesIn = new LongAdder();
    private final LongAdder bytesOut = new LongAdder();
    private final LongAdder accessLogDropped = new LongAdder();
    private final LongAdder inFlight = new LongAdder();
    private final AtomicInteger connections = new AtomicInteger();
    private final Counter[] byClass = new Counter[6];
    private final Timer latency;
    private final MemoryBudget.Gauge queued = new MemoryBudget.Gauge();

    public EngineMetrics(MeterRegistry registry, String node) {
        var tags = Tags.of("node", node);
        for (int i = 0; i < byClass.length; i++) {
            var status = i == 0 ? "none" : i + "xx";
            byClass[i] = Counter.builder("sluice.http.requests")
                    .description("answered requests; status none: the client was gone before the answer")
                    .tags(tags.and("status", status))
                    .register(registry);
        }
        latency = Timer.builder("sluice.http.request.duration")
                .description("from the head's arrival to the last byte handed to the kernel")
                .tags(tags)
                .register(registry);
        FunctionCounter.builder("sluice.http.bytes.in", bytesIn, LongAdder::sum)
                .tags(tags)
                .register(registry);
        FunctionCounter.builder("sluice.http.bytes.out", bytesOut, LongAdder::sum)
                .tags(tags)
                .register(registry);
        FunctionCounter.builder("sluice.http.access.log.dropped", accessLogDropped, LongAdder::sum)
                .tags(tags)
                .register(registry);
        Gauge.builder("sluice.http.requests.in.flight", inFlight, LongAdder::sum)
                .tags(tags)
                .register(registry);
        Gauge.builder("sluice.http.connections", connections, AtomicInteger::get)
                .tags(tags)
                .register(registry);
        Gauge.builder("sluice.http.queued.bytes", queued, MemoryBudget.Gauge::bytes)
                .description("body bytes received but unread, or written but not yet taken by the client")
                .tags(tags)
                .register(registry);
    }

    int connections() {
        return connections.get();
    }

    MemoryBudget.Gauge queued() {
        return queued;
    }

    int connected() {
        return connections.incrementAndGet();
    }

    void disconnected() {
        connections.decrementAndGet();
    }

    void requestBegun() {
        inFlight.increment();
    }

    /// A request that was not understood, or not let in.
    void refused(int status) {
        byClass[status / 100].increment();
    }

    void requestEnded(int status, long nanos, long in, long out) {
        inFlight.decrement();
        byClass[Math.clamp(status / 100, 0, 5)].increment();
        latency.record(nanos, TimeUnit.NANOSECONDS);
        bytesIn.add(in);
        bytesOut.add(out);
    }

    void accessLogDropped() {
        accessLogDropped.increment();
    }
}
