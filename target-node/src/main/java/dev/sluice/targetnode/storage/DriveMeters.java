package dev.sluice.targetnode.storage;

import dev.sluice.common.name.NodeId;
import dev.sluice.targetnode.storage.health.DriveState;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.function.ToDoubleFunction;

/// What a target's drives show in `/metrics`.
public final class DriveMeters {
    private DriveMeters() {}

    /// For the drive at this path, whichever it is; while there is none, there are no figures.
    public static void register(ObjectStore store, String path, NodeId node, MeterRegistry meters) {
        var tags = Tags.of("node", node.value(), "drive", path);
        gauge(store, path, "objects", tags, meters, DriveStats::objects);
        gauge(store, path, "bytes", tags, meters, DriveStats::bytes);
        gauge(store, path, "free.bytes", tags, meters, DriveStats::freeBytes);
        gauge(store, path, "full", tags, meters, stats -> stats.full() ? 1 : 0);
        gauge(store, path, "queue", tags, meters, DriveStats::waiting);
        gauge(store, path, "queued.bytes", tags, meters, DriveStats::waitingBytes);
        gauge(store, path, "intents", tags, meters, DriveStats::intents);
        gauge(store, path, "errors", tags, meters, DriveStats::errors);
        gauge(store, path, "probes", tags, meters, DriveStats::probes);
        for (var state : DriveState.values()) {
            var ofState = tags.and("state", state.toString());
            gauge(store, path, "state", ofState, meters, stats -> stats.status().state() == state ? 1 : 0);
        }
    }

    private static void gauge(
            ObjectStore store,
            String path,
            String name,
            Tags tags,
            MeterRegistry meters,
            ToDoubleFunction<DriveStats> value) {
        Gauge.builder(
                        "sluice.drive." + name,
                        store,
                        source -> source.stats().stream()
                                .filter(stats -> stats.path().equals(path))
                                .mapToDouble(value)
                                .findFirst()
                                .orElse(Double.NaN))
                .tags(tags)
                .register(meters);
    }
}
