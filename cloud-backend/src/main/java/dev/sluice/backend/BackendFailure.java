package dev.sluice.backend;

import dev.sluice.common.store.StoreException;
import java.time.Duration;
import java.util.Optional;

/// A failure of a cloud's client, understood.
///
/// @param meaning what the caller gets
/// @param kind what it says about trying again
/// @param retryAfter how long the cloud asked us to stay away
public record BackendFailure(StoreException meaning, Kind kind, Optional<Duration> retryAfter) {
    public enum Kind {
        /// The answer to the question; another attempt gives the same one.
        FINAL,
        /// The way there broke; another attempt may help at once.
        PASSING,
        /// The cloud asks for less (429, 503): every request of this backend should wait.
        THROTTLED
    }

    public static BackendFailure finalAnswer(StoreException meaning) {
        return new BackendFailure(meaning, Kind.FINAL, Optional.empty());
    }

    public static BackendFailure passing(StoreException meaning) {
        return new BackendFailure(meaning, Kind.PASSING, Optional.empty());
    }

    public static BackendFailure throttled(StoreException meaning, Optional<Duration> retryAfter) {
        return new BackendFailure(meaning, Kind.THROTTLED, retryAfter);
    }
}
