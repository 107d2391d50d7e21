package dev.sluice.targetnode.storage.resilver;

import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.ResilverCommand;
import dev.sluice.common.peer.ResilverStatus;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.function.ToDoubleFunction;

/// What a target's resilver shows in `/metrics`.
public final class ResilverMeters {
    private ResilverMeters() {}

    public static void register(Resilver resilver, NodeId node, MeterRegistry meters) {
        var tags = Tags.of("node", node.value());
        gauge("running", resilver, tags, meters, at -> at.state() == ResilverStatus.State.RUNNING ? 1 : 0);
        gauge("settled", resilver, tags, meters, at -> at.settled() ? 1 : 0);
        gauge("failures", resilver, tags, meters, ResilverStatus::failures);
        Gauge.builder("sluice.resilver.pending.objects", resilver, Resilver::pending)
                .tags(tags)
                .register(meters);
        counter("moved.objects", resilver, tags, meters, Resilver::movedObjects);
        counter("moved.bytes", resilver, tags, meters, Resilver::movedBytes);
        counter("failed", resilver, tags, meters, Resilver::failuresInAll);
    }

    private static void gauge(
            String name, Resilver resilver, Tags tags, MeterRegistry meters, ToDoubleFunction<ResilverStatus> value) {
        Gauge.builder(
                        "sluice.resilver." + name,
                        resilver,
                        each -> value.applyAsDouble(each.obey(ResilverCommand.STATUS)))
                .tags(tags)
                .register(meters);
    }

    private static void counter(
            String name, Resilver resilver, Tags tags, MeterRegistry meters, ToDoubleFunction<Resilver> value) {
        FunctionCounter.builder("sluice.resilver." + name, resilver, value)
                .tags(tags)
                .register(meters);
    }
}
