package dev.sluice.cli.config.value;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.sluice.common.time.Durations;
import java.time.Duration;

/// A length of time as people write it: `250ms`, `30s`, `5m`, `2h`, `7d`.
public record TimeSpan(Duration duration) {
    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public static TimeSpan parse(String text) {
        return Durations.parse(text.strip())
                .map(TimeSpan::new)
                .orElseThrow(() ->
                        new IllegalArgumentException("'" + text + "' is not a time such as 250ms, 30s, 5m, 2h or 7d"));
    }

    @JsonValue
    @Override
    public String toString() {
        return Durations.text(duration);
    }
}
