package dev.sluice.common.jobs;

import java.util.Locale;

/// How a job, or a target's part of it, stands.
public enum JobState {
    RUNNING,
    /// Each object was worked on; some may have failed.
    DONE,
    /// A drive or a quota took no more: what is stored stays, the rest was not tried.
    FULL,
    /// It could not go on.
    FAILED,
    /// An operator stopped it.
    STOPPED;

    /// As users read it.
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
