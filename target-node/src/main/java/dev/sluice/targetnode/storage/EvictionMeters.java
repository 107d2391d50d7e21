package dev.sluice.targetnode.storage;

import dev.sluice.common.name.NodeId;
import dev.sluice.targetnode.storage.eviction.EvictionStats;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.function.ToDoubleFunction;

/// What eviction shows in `/metrics`.
public final class EvictionMeters {
    private EvictionMeters() {}

    /// For the drive at this path, whichever it is.
    public static void register(ObjectStore store, String path, NodeId node, MeterRegistry meters) {
        var tags = Tags.of("node", node.value(), "drive", path);
        count(store, path, "evicted.objects", tags, meters, EvictionStats::objects);
        count(store, path, "evicted.bytes", tags, meters, EvictionStats::bytes);
        count(store, path, "eviction.runs", tags.and("outcome", "enough"), meters, EvictionStats::enough);
        count(store, path, "eviction.runs", tags.and("outcome", "busy"), meters, EvictionStats::busy);
        count(store, path, "eviction.runs", tags.and("outcome", "too_little"), meters, EvictionStats::tooLittle);
        count(store, path, "eviction.runs", tags.and("outcome", "failed"), meters, EvictionStats::failed);
        Gauge.builder("sluice.eviction.missing.bytes", store, source -> of(source, path, EvictionStats::missing))
                .tags(tags)
                .register(meters);
    }

    private static void count(
            ObjectStore store,
            String path,
            String name,
            Tags tags,
            MeterRegistry meters,
            ToDoubleFunction<EvictionStats> value) {
        FunctionCounter.builder("sluice." + name, store, source -> of(source, path, value))
                .tags(tags)
                .register(meters);
    }

    private static double of(ObjectStore store, String path, ToDoubleFunction<EvictionStats> value) {
        var there = store.stats().stream()
                .filter(stats -> stats.path().equals(path))
                .map(DriveStats::id)
                .toList();
        return store.evictions().stream()
                .filter(stats -> there.contains(stats.drive()))
                .mapToDouble(value)
                .findFirst()
                .orElse(Double.NaN);
    }
}
