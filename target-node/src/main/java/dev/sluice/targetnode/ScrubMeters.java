package dev.sluice.targetnode;

import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.DriveScrub;
import dev.sluice.common.peer.ScrubCommand;
import dev.sluice.targetnode.storage.scrub.Scrubs;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.function.ToDoubleFunction;

/// What the scrubs of a target's drives show in `/metrics`.
final class ScrubMeters {
    private ScrubMeters() {}

    static void register(Scrubs scrubs, NodeId node, MeterRegistry meters) {
        for (var drive : scrubs.obey(ScrubCommand.STATUS)) {
            var tags = Tags.of("node", node.value(), "drive", drive.path());
            gauge(scrubs, drive, "running", tags, meters, at -> at.state() == DriveScrub.State.RUNNING ? 1 : 0);
            gauge(scrubs, drive, "objects", tags, meters, DriveScrub::objects);
            gauge(scrubs, drive, "bytes", tags, meters, DriveScrub::bytes);
            gauge(scrubs, drive, "findings", tags, meters, DriveScrub::findings);
            gauge(scrubs, drive, "finished.seconds", tags, meters, at -> at.finishedMillis() / 1e3);
            FunctionCounter.builder("sluice.scrub.read.bytes", scrubs, all -> all.readInAll(drive.path()))
                    .tags(tags)
                    .register(meters);
        }
    }

    private static void gauge(
            Scrubs scrubs,
            DriveScrub drive,
            String name,
            Tags tags,
            MeterRegistry meters,
            ToDoubleFunction<DriveScrub> value) {
        Gauge.builder(
                        "sluice.scrub." + name,
                        scrubs,
                        all -> all.obey(ScrubCommand.STATUS).stream()
                                .filter(at -> at.path().equals(drive.path()))
                                .mapToDouble(value)
                                .findFirst()
                                .orElse(Double.NaN))
                .tags(tags)
                .register(meters);
    }
}
