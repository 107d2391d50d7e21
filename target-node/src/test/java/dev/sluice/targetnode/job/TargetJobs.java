package dev.sluice.targetnode.job;

import static dev.sluice.testing.Eventually.eventually;

import dev.sluice.common.cluster.Command;
import dev.sluice.common.jobs.Job;
import dev.sluice.common.jobs.JobSpec;
import dev.sluice.targetnode.coldfill.TargetFixture;

/// Jobs on the one target of a test, started as the controller does.
final class TargetJobs {
    private TargetJobs() {}

    /// @return as it ended
    static Job run(TargetFixture target, JobSpec spec) {
        var id = spec.kind().text() + "-" + System.nanoTime();
        target.control().apply(new Command.StartJob(id, spec, "author", 1));
        eventually(() -> !job(target, id).isRunning());
        return job(target, id);
    }

    private static Job job(TargetFixture target, String id) {
        return target.control().current().jobs().find(id).orElseThrow();
    }
}
