package dev.sluice.common.jobs;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// How a target's part of a job stands.
///
/// @param failures the first ones
/// @param message why it is neither running nor done
public record JobPart(JobState state, JobCounts counts, List<JobFailure> failures, Optional<String> message) {
    /// How many failures a target names.
    public static final int MOST_FAILURES = 100;

    static final int MESSAGE_BYTES = 200;
    private static final int FAILURES_BYTES = 3 << 10;

    public JobPart {
        failures = List.copyOf(failures);
    }

    /// As the controller keeps it while the job runs: 4 KiB at most.
    public JobPart shortened() {
        return new JobPart(
                state, counts, first(failures, FAILURES_BYTES), message.map(text -> ShortText.of(text, MESSAGE_BYTES)));
    }

    /// As many of the first failures as there is room for.
    static List<JobFailure> first(List<JobFailure> failures, int bytes) {
        var fitting = new ArrayList<JobFailure>();
        int left = bytes;
        for (var failure : failures) {
            left -= failure.length();
            if (left < 0) {
                break;
            }
            fitting.add(failure);
        }
        return fitting;
    }
}
