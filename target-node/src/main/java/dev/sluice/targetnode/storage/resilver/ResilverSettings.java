package dev.sluice.targetnode.storage.resilver;

import java.time.Duration;

/// @param rate bytes a second that each drive gives at most; 0: what requests leave
/// @param grace how long the drives are to have been as they are before it begins
public record ResilverSettings(long rate, Duration grace) {
    public static final Duration GRACE = Duration.ofSeconds(3);
    public static final ResilverSettings DEFAULTS = new ResilverSettings(0, GRACE);
}
