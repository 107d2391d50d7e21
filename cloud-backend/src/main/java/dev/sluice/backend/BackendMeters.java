package dev.sluice.backend;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;

/// What a backend tells the outside about its use.
final class BackendMeters {
    private final MeterRegistry registry;
    private final Tags tags;
    private final Counter received;
    private final Counter sent;
    private final Counter throttled;

    BackendMeters(MeterRegistry registry, BackendAddress address, BackendBudget budget) {
        this.registry = registry;
        this.tags = Tags.of("provider", address.provider().scheme(), "bucket", address.bucket());
        this.received = registry.counter("sluice.backend.bytes", tags.and("direction", "received"));
        this.sent = registry.counter("sluice.backend.bytes", tags.and("direction", "sent"));
        this.throttled = registry.counter("sluice.backend.throttled", tags);
        Gauge.builder("sluice.backend.connections", budget, BackendBudget::inUse)
                .tags(tags)
                .register(registry);
    }

    void request(String operation, String outcome, Duration took) {
        Timer.builder("sluice.backend.requests")
                .tags(tags.and("operation", operation, "outcome", outcome))
                .register(registry)
                .record(took);
    }

    void throttled() {
        throttled.increment();
    }

    void received(long bytes) {
        received.increment((double) bytes);
    }

    void sent(long bytes) {
        sent.increment((double) bytes);
    }
}
