package dev.sluice.common.time;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// Lengths of time as people write them: `250ms`, `30s`, `5m`, `2h`, `7d`.
public final class Durations {
    private static final Pattern FORM = Pattern.compile("([0-9]{1,9})(ms|s|m|h|d)");

    private static final List<Unit> LARGEST_FIRST = List.of(
            new Unit("d", Duration.ofDays(1)),
            new Unit("h", Duration.ofHours(1)),
            new Unit("m", Duration.ofMinutes(1)),
            new Unit("s", Duration.ofSeconds(1)),
            new Unit("ms", Duration.ofMillis(1)));

    private record Unit(String name, Duration length) {}

    private Durations() {}

    /// @return empty for what has another form
    public static Optional<Duration> parse(String text) {
        var form = FORM.matcher(text);
        if (!form.matches()) {
            return Optional.empty();
        }
        return LARGEST_FIRST.stream()
                .filter(unit -> unit.name.equals(form.group(2)))
                .map(unit -> unit.length.multipliedBy(Long.parseLong(form.group(1))))
                .findFirst();
    }

    /// In the largest unit that tells it whole, to the millisecond.
    public static String text(Duration duration) {
        long millis = duration.toMillis();
        return LARGEST_FIRST.stream()
                .filter(unit -> millis != 0 && millis % unit.length.toMillis() == 0)
                .map(unit -> millis / unit.length.toMillis() + unit.name)
                .findFirst()
                .orElse("0s");
    }
}
