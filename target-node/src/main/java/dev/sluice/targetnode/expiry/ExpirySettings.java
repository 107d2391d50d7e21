package dev.sluice.targetnode.expiry;

import java.time.Duration;

/// @param interval between the passes of a target
/// @param day how long a day of lifecycle rules is: 24 hours, but in tests
public record ExpirySettings(Duration interval, Duration day) {
    public static final ExpirySettings DEFAULTS = new ExpirySettings(Duration.ofHours(1), Duration.ofDays(1));
}
