package dev.sluice.common.cluster;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.sluice.common.time.Durations;

/// When a cached object is compared with the cloud's before it is served: never, always, or when the last comparison
/// is older than this.
///
/// @param seconds 0 for always, [Long#MAX_VALUE] for never
public record Revalidate(long seconds) {
    public static final Revalidate NEVER = new Revalidate(Long.MAX_VALUE);
    public static final Revalidate ALWAYS = new Revalidate(0);

    public Revalidate {
        if (seconds < 0) {
            throw new IllegalArgumentException("%d seconds".formatted(seconds));
        }
    }

    /// @param text `never`, `always`, or a duration: `30s`, `10m`, `2h`, `1d`
    @JsonCreator
    public static Revalidate of(String text) {
        if (text.equals("never")) {
            return NEVER;
        }
        if (text.equals("always")) {
            return ALWAYS;
        }
        return Durations.parse(text)
                .filter(age -> age.isPositive() && age.toMillisPart() == 0)
                .map(age -> new Revalidate(age.toSeconds()))
                .orElseThrow(() -> new IllegalArgumentException(
                        "revalidate must be never, always, or a duration from 1s such as 30s, 10m, 2h or 1d, not '%s'"
                                .formatted(text)));
    }

    /// As users write it.
    @JsonValue
    public String text() {
        if (equals(NEVER)) {
            return "never";
        }
        return equals(ALWAYS) ? "always" : seconds + "s";
    }

    /// Whether an object has to be compared.
    ///
    /// @param agreedMillis when it last was what the cloud had
    public boolean isDue(long agreedMillis, long nowMillis) {
        if (equals(NEVER)) {
            return false;
        }
        long age = nowMillis - agreedMillis;
        return age < 0 || age / 1000 >= seconds; // a clock that was set back tells nothing
    }
}
