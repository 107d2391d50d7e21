package dev.sluice.cli.config.value;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.time.Duration;
import java.util.regex.Pattern;

/// A length of time as people write it: `250ms`, `30s`, `5m`, `2h`, `7d`.
public record TimeSpan(Duration duration) {
    private static final Pattern FORM = Pattern.compile("([0-9]{1,12})\\s*(ms|s|m|h|d)");

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public static TimeSpan parse(String text) {
        var form = FORM.matcher(text.strip());
        if (!form.matches()) {
            throw new IllegalArgumentException("'" + text + "' is not a time such as 250ms, 30s, 5m, 2h or 7d");
        }
        var amount = Long.parseLong(form.group(1));
        return new TimeSpan(
                switch (form.group(2)) {
                    case "ms" -> Duration.ofMillis(amount);
                    case "s" -> Duration.ofSeconds(amount);
                    case "m" -> Duration.ofMinutes(amount);
                    case "h" -> Duration.ofHours(amount);
                    default -> Duration.ofDays(amount);
                });
    }

    @JsonValue
    @Override
    public String toString() {
        var millis = duration.toMillis();
        if (millis % 1000 != 0) {
            return millis + "ms";
        }
        var seconds = millis / 1000;
        return seconds % 3600 == 0 && seconds != 0 ? seconds / 3600 + "h" : seconds + "s";
    }
}
