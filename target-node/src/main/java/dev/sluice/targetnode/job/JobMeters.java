package dev.sluice.targetnode.job;

import dev.sluice.common.name.NodeId;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.function.ToDoubleFunction;

/// What the jobs of a target show in `/metrics`.
public final class JobMeters {
    private JobMeters() {}

    public static void register(Jobs jobs, NodeId node, MeterRegistry meters) {
        var tags = Tags.of("node", node.value());
        Gauge.builder("sluice.jobs.running", jobs, Jobs::running).tags(tags).register(meters);
        jobs.kinds().forEach(kind -> register(jobs.totals(kind), tags.and("kind", kind.text()), meters));
    }

    private static void register(JobTotals totals, Tags tags, MeterRegistry meters) {
        objects(totals, "done", JobTotals::doneObjects, tags, meters);
        objects(totals, "skipped", JobTotals::skippedObjects, tags, meters);
        objects(totals, "failed", JobTotals::failedObjects, tags, meters);
        FunctionCounter.builder("sluice.jobs.bytes", totals, JobTotals::movedBytes)
                .tags(tags)
                .register(meters);
    }

    private static void objects(
            JobTotals totals, String result, ToDoubleFunction<JobTotals> count, Tags tags, MeterRegistry meters) {
        FunctionCounter.builder("sluice.jobs.objects", totals, count)
                .tags(tags.and("result", result))
                .register(meters);
    }
}
