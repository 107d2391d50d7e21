package dev.sluice.deploy;

import java.time.Duration;

/// The longest time that a client waited until a request was answered well, with all its repetitions.
final class Waits {
    /// @param what was waited for
    record Wait(Duration time, String what) {
        static final Wait NONE = new Wait(Duration.ZERO, "nothing");
    }

    private Wait longest = Wait.NONE;

    synchronized void ended(long beganNanos, String what) {
        var wait = new Wait(Duration.ofNanos(System.nanoTime() - beganNanos), what);
        if (wait.time().compareTo(longest.time()) > 0) {
            longest = wait;
        }
    }

    /// Counts from now on.
    synchronized void forget() {
        longest = Wait.NONE;
    }

    synchronized Wait longest() {
        return longest;
    }
}
