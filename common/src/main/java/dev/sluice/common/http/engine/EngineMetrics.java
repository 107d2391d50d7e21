package dev.sluice.common.http.engine;

import dev.sluice.common.http.RequestHead;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What one server counts. One object per node: several nodes in one process share the registry, told apart by tag.
public final class EngineMetrics {
    private static final Duration[] LATENCIES = Stream.of(
                    "0.0005", "0.001", "0.0025", "0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1", "2.5",
                    "5", "10", "30")
            .map(seconds -> Duration.parse("PT" + seconds + "S"))
            .toArray(Duration[]::new);

    private final LongAdder bytesIn = new LongAdder();
    private final LongAdder bytesOut = new LongAdder();
    private final LongAdder accessLogDropped = new LongAdder();
    private final LongAdder inFlight = new LongAdder();
    private final AtomicInteger connections = new AtomicInteger();
    private final Counter[] byClass = new Counter[6];
    private final Operations operations;
    private final Map<String, Timer> latency;
    private final Counter relaysFollowed;
    private final Counter relaysBrokenOff;
    private final AtomicInteger relaysParked = new AtomicInteger();
    private final MemoryBudget.Gauge queued = new MemoryBudget.Gauge();

    public EngineMetrics(MeterRegistry registry, String node) {
        this(registry, node, Operations.NOT_TOLD_APART);
    }

    public EngineMetrics(MeterRegistry registry, String node, Operations operations) {
        this.operations = operations;
        var tags = Tags.of("node", node);
        for (int i = 0; i < byClass.length; i++) {
            var status = i == 0 ? "none" : i + "xx";
            byClass[i] = Counter.builder("sluice.http.requests")
                    .description("answered requests; status none: the client was gone before the answer")
                    .tags(tags.and("status", status))
                    .register(registry);
        }
        latency = operations.names().stream()
                .collect(Collectors.toUnmodifiableMap(
                        Function.identity(),
                        operation -> Timer.builder("sluice.http.request.duration")
                                .description("from the head's arrival to the last byte handed to the kernel")
                                .tags(tags.and("operation", operation))
                                .serviceLevelObjectives(LATENCIES)
                                .register(registry)));
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
        relaysFollowed = Counter.builder("sluice.relay.followed")
                .description("requests sent again, to another node")
                .tags(tags)
                .register(registry);
        relaysBrokenOff = Counter.builder("sluice.relay.broken.off")
                .description("answers broken off because their node paused in the middle")
                .tags(tags)
                .register(registry);
        Gauge.builder("sluice.relay.parked", relaysParked, AtomicInteger::get)
                .description("requests that wait for another node to have their key")
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

    void relayFollowed() {
        relaysFollowed.increment();
    }

    void relayBrokenOff() {
        relaysBrokenOff.increment();
    }

    AtomicInteger relaysParked() {
        return relaysParked;
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

    void requestEnded(RequestHead head, int status, long nanos, long in, long out) {
        inFlight.decrement();
        byClass[Math.clamp(status / 100, 0, 5)].increment();
        Objects.requireNonNull(latency.get(operations.of(head))).record(nanos, TimeUnit.NANOSECONDS);
        bytesIn.add(in);
        bytesOut.add(out);
    }

    void accessLogDropped() {
        accessLogDropped.increment();
    }
}
