package dev.sluice.targetnode;

import dev.sluice.common.name.NodeId;
import dev.sluice.targetnode.storage.DriveStats;
import dev.sluice.targetnode.storage.ObjectStore;
import dev.sluice.targetnode.storage.eviction.EvictionStats;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.function.ToDoubleFunction;

/// What eviction shows in `/metrics`.
final class EvictionMeters {
    private EvictionMeters() {}

    static void register(ObjectStore store, NodeId node, MeterRegistry meters) {
        for (var drive : store.stats()) {
            var tags = Tags.of("node", node.value(), "drive", drive.path());
            count(store, drive, meters, "sluice.evicted.objects", tags, EvictionStats::objects);
            count(store, drive, meters, "sluice.evicted.bytes", tags, EvictionStats::bytes);
            var runs = "sluice.eviction.runs";
            count(store, drive, meters, runs, tags.and("outcome", "enough"), EvictionStats::enough);
            count(store, drive, meters, runs, tags.and("outcome", "busy"), EvictionStats::busy);
            count(store, drive, meters, runs, tags.and("outcome", "too_little"), EvictionStats::tooLittle);
            count(store, drive, meters, runs, tags.and("outcome", "failed"), EvictionStats::failed);
            Gauge.builder("sluice.eviction.missing.bytes", store, source -> of(source, drive, EvictionStats::missing))
                    .tags(tags)
                    .register(meters);
        }
    }

    private static void count(
            ObjectStore store,
            DriveStats drive,
            MeterRegistry meters,
            String name,
            Tags tags,
            ToDoubleFunction<EvictionStats> value) {
        FunctionCounter.builder(name, store, source -> of(source, drive, value))
                .tags(tags)
                .register(meters);
    }

    private static double of(ObjectStore store, DriveStats drive, ToDoubleFunction<EvictionStats> value) {
        var there = store.stats().stream()
                .filter(stats -> stats.path().equals(drive.path()))
                .map(DriveStats::id)
                .toList();
        return store.evictions().stream()
                .filter(stats -> there.contains(stats.drive()))
                .mapToDouble(value)
                .findFirst()
                .orElse(Double.NaN);
    }
}
