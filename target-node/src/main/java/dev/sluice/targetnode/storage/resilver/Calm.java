package dev.sluice.targetnode.storage.resilver;

import java.time.Duration;
import java.util.Optional;

/// Whether things have been as they are for long enough to begin, or have been restless for too long to wait any more.
final class Calm {
    static final Duration AT_MOST = Duration.ofSeconds(10);

    private final long grace;
    private Optional<Object> seen = Optional.empty();
    private Optional<Long> restlessSince = Optional.empty();
    private long changedAt;

    Calm(Duration grace) {
        this.grace = grace.toNanos();
    }

    /// @param state what is to be calm
    void see(Object state, long nanos) {
        if (!seen.equals(Optional.of(state))) {
            seen = Optional.of(state);
            changedAt = nanos;
            restlessSince = restlessSince.or(() -> Optional.of(nanos));
        }
    }

    /// Nobody wants to wait for it.
    void enough() {
        restlessSince = Optional.empty();
    }

    boolean hasCome(long nanos) {
        restlessSince = restlessSince.filter(since -> nanos - changedAt < grace && nanos - since < AT_MOST.toNanos());
        return restlessSince.isEmpty();
    }
}
