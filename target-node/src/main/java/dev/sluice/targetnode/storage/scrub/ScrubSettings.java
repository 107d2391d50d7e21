package dev.sluice.targetnode.storage.scrub;

import java.time.Duration;

/// How drives are scrubbed when nobody asks for it.
///
/// @param period everything is read once in it; zero: only on demand
/// @param cap bytes a second of one drive at most; 0: what the period asks for
public record ScrubSettings(Duration period, long cap) {
    /// Only on demand.
    public static final ScrubSettings OFF = new ScrubSettings(Duration.ZERO, 0);

    /// So that a drive with little on it is done soon, and not read all day.
    static final long LEAST = 4 << 20;

    boolean scheduled() {
        return !period.isZero();
    }

    /// Work a second, so that all of it is done in a period.
    long rate(long workAll) {
        long asked = scheduled() ? Math.max(LEAST, (long) (workAll / (period.toMillis() / 1e3))) : LEAST;
        return cap > 0 ? Math.min(cap, asked) : asked;
    }
}
