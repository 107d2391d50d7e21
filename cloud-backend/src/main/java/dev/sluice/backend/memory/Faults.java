package dev.sluice.backend.memory;

import java.time.Duration;
import java.util.OptionalLong;

/// What goes wrong in a [MemoryBackend] from now on.
///
/// @param breakAfter the bytes of a GET's body after which the connection breaks
/// @param latency before every answer
/// @param corrupt GETs change one byte of the body, and say nothing
/// @param unavailable every request fails
public record Faults(OptionalLong breakAfter, Duration latency, boolean corrupt, boolean unavailable) {
    public static final Faults NONE = new Faults(OptionalLong.empty(), Duration.ZERO, false, false);

    public Faults breakAfter(long bytes) {
        return new Faults(OptionalLong.of(bytes), latency, corrupt, unavailable);
    }

    public Faults latency(Duration wait) {
        return new Faults(breakAfter, wait, corrupt, unavailable);
    }

    public Faults corrupt(boolean lies) {
        return new Faults(breakAfter, latency, lies, unavailable);
    }

    public Faults unavailable(boolean down) {
        return new Faults(breakAfter, latency, corrupt, down);
    }
}
