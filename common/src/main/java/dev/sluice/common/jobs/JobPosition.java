package dev.sluice.common.jobs;

import java.util.List;

/// Up to where a target has worked on its part of a job, so that a restart does not begin it again. At most 4 KiB.
///
/// @param from where the rest of the selection begins, in the words of the job's work; all before it is done
/// @param placement of the keys on the targets as it was then; by another one, keys before it may be this target's too
/// @param counts of what is done
/// @param failures the first ones
public record JobPosition(String from, String placement, JobCounts counts, List<JobFailure> failures) {
    private static final int FROM_BYTES = 2 << 10;
    private static final int FAILURES_BYTES = 1 << 10;

    public JobPosition {
        failures = JobPart.first(failures, FAILURES_BYTES);
    }

    /// Whether it is short enough to be kept. A key of 1 KiB may be longer in JSON.
    public boolean canBeKept() {
        return ShortText.length(from) <= FROM_BYTES;
    }
}
