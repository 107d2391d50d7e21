package dev.sluice.targetnode;

import dev.sluice.common.name.NodeId;
import dev.sluice.targetnode.storage.DriveStats;
import dev.sluice.targetnode.storage.ObjectStore;
import dev.sluice.targetnode.storage.health.DriveState;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.function.ToDoubleFunction;

/// What a target's drives show in `/metrics`.
final class DriveMeters {
    private DriveMeters() {}

    /// For the drives there are now; to be called again when there are others. A path without a drive has no figures.
    static void register(ObjectStore store, NodeId node, MeterRegistry meters) {
        for (var drive : store.stats()) {
            gauge(store, node, drive, meters, "sluice.drive.objects", DriveStats::objects);
            gauge(store, node, drive, meters, "sluice.drive.bytes", DriveStats::bytes);
            gauge(store, node, drive, meters, "sluice.drive.free.bytes", DriveStats::freeBytes);
            gauge(store, node, drive, meters, "sluice.drive.queue", DriveStats::waiting);
            gauge(store, node, drive, meters, "sluice.drive.queued.bytes", DriveStats::waitingBytes);
            gauge(store, node, drive, meters, "sluice.drive.errors", DriveStats::errors);
            gauge(store, node, drive, meters, "sluice.drive.probes", DriveStats::probes);
            for (var state : DriveState.values()) {
                gauge(
                        store,
                        node,
                        drive,
                        meters,
                        "sluice.drive.state",
                        Tags.of("state", state.toString()),
                        stats -> stats.status().state() == state ? 1 : 0);
            }
        }
    }

    private static void gauge(
            ObjectStore store,
            NodeId node,
            DriveStats drive,
            MeterRegistry meters,
            String name,
            ToDoubleFunction<DriveStats> value) {
        gauge(store, node, drive, meters, name, Tags.empty(), value);
    }

    private static void gauge(
            ObjectStore store,
            NodeId node,
            DriveStats drive,
            MeterRegistry meters,
            String name,
            Tags tags,
            ToDoubleFunction<DriveStats> value) {
        Gauge.builder(
                        name,
                        store,
                        source -> source.stats().stream()
                                .filter(stats -> stats.path().equals(drive.path()))
                                .mapToDouble(value)
                                .findFirst()
                                .orElse(Double.NaN))
                .tags(tags)
                .tag("node", node.value())
                .tag("drive", drive.path())
                .register(meters);
    }
}
