package dev.sluice.common.samples;

import java.time.Duration;

/// How long somebody waits for samples.
///
/// @param sign so often the client gets a sign while it waits
/// @param silence after which a shard that nobody says anything of is not waited for any more
/// @param pause before a target is asked again that has failed
/// @param refusal for how long a shard that a target cannot serve now is asked for again
public record Patience(Duration sign, Duration silence, Duration pause, Duration refusal) {
    public static final Patience USUAL =
            new Patience(Duration.ofSeconds(5), Duration.ofSeconds(60), Duration.ofMillis(200), Duration.ofSeconds(5));
}
