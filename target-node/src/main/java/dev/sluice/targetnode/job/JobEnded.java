package dev.sluice.targetnode.job;

import dev.sluice.common.jobs.JobState;

/// Why a job cannot go on on this target.
final class JobEnded extends RuntimeException {
    private final JobState state;

    JobEnded(JobState state, String message) {
        super(message, null, false, false);
        this.state = state;
    }

    JobState state() {
        return state;
    }

    String reason() {
        return String.valueOf(getMessage());
    }
}
