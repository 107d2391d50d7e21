package dev.sluice.common.time;

/// A clock for spans of time. It never goes back.
public interface NanoClock {
    /// Nanoseconds since some moment in the past.
    long nanos();
}
