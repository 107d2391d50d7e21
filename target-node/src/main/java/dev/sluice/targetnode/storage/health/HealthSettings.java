package dev.sluice.targetnode.storage.health;

import java.time.Duration;

/// How drives are watched.
///
/// @param every how often a drive is looked at
/// @param soundProbes how many in a row bring a drive back
/// @param patience after which a probe that has not ended counts as failed
public record HealthSettings(Duration every, int soundProbes, Duration patience) {
    public static final HealthSettings DEFAULTS = new HealthSettings(Duration.ofSeconds(10), 3, Duration.ofSeconds(30));

    public static HealthSettings every(Duration interval) {
        return new HealthSettings(interval, DEFAULTS.soundProbes, DEFAULTS.patience);
    }

    /// How long after a probe an error starts the next.
    Duration gap() {
        return every.dividedBy(10);
    }
}
