package dev.sluice.common.jobs;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/// What a job does with each object of its selection.
public enum JobKind {
    /// Stores objects of a cloud bucket here before a client asks for them.
    PREFETCH;

    /// As users write it.
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<JobKind> of(String text) {
        return Arrays.stream(values()).filter(kind -> kind.text().equals(text)).findFirst();
    }
}
