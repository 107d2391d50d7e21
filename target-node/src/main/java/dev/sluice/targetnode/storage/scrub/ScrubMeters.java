package dev.sluice.targetnode.storage.scrub;

import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.DriveScrub;
import dev.sluice.common.peer.ScrubCommand;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.function.ToDoubleFunction;

/// What the scrubs of a target's drives show in `/metrics`.
public final class ScrubMeters {
    private ScrubMeters() {}

    /// For the drive at this path, whichever it is.
    public static void register(Scrubs scrubs, String path, NodeId node, MeterRegistry meters) {
        var tags = Tags.of("node", node.value(), "drive", path);
        gauge(scrubs, path, "running", tags, meters, at -> at.state() == DriveScrub.State.RUNNING ? 1 : 0);
        gauge(scrubs, path, "objects", tags, meters, DriveScrub::objects);
        gauge(scrubs, path, "bytes", tags, meters, DriveScrub::bytes);
        gauge(scrubs, path, "findings", tags, meters, DriveScrub::findings);
        gauge(scrubs, path, "finished.seconds", tags, meters, at -> at.finishedMillis() / 1e3);
        FunctionCounter.builder("sluice.scrub.read.bytes", scrubs, all -> all.readInAll(path))
                .tags(tags)
                .register(meters);
    }

    private static void gauge(
            Scrubs scrubs,
            String path,
            String name,
            Tags tags,
            MeterRegistry meters,
            ToDoubleFunction<DriveScrub> value) {
        Gauge.builder(
                        "sluice.scrub." + name,
                        scrubs,
                        all -> all.obey(ScrubCommand.STATUS).stream()
                                .filter(at -> at.path().equals(path))
                                .mapToDouble(value)
                                .findFirst()
                                .orElse(Double.NaN))
                .tags(tags)
                .register(meters);
    }
}
