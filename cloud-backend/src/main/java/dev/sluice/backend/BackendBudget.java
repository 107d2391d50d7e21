package dev.sluice.backend;

import dev.sluice.common.store.StoreException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/// What all requests of one backend share: a number of connections, a rate, and the back-off that a 429 or 503 asks
/// for. One
/// throttled request holds every later one back, else each of a hundred readers would have to learn it for itself.
public final class BackendBudget {
    private final BackendSettings settings;
    private final Semaphore connections;
    private int strikes; // throttled answers in a row, eased by good ones
    private long quietUntil = System.nanoTime();
    private long nextAt = System.nanoTime();

    public BackendBudget(BackendSettings settings) {
        this.settings = settings;
        this.connections = new Semaphore(settings.maxConnections(), true);
    }

    /// Waits for a connection, and until the cloud may be asked again.
    public Lease acquire() {
        try {
            if (!connections.tryAcquire(settings.connectionWait().toNanos(), TimeUnit.NANOSECONDS)) {
                throw new StoreException.Unavailable("All " + settings.maxConnections()
                        + " connections to the backend are in use for " + settings.connectionWait());
            }
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
        var lease = new Lease();
        try {
            pause(quiet());
            pause(turn());
            return lease;
        } catch (RuntimeException e) {
            lease.release();
            throw e;
        }
    }

    /// Waits before the n-th repetition, and for its turn.
    void pauseBefore(int repetition) {
        pause(jittered(repetition));
        pause(turn());
    }

    /// How long to wait for the request's turn at the rate. What was not used of the last second may be used at once.
    private synchronized Duration turn() {
        if (settings.requestsPerSecond() == 0) {
            return Duration.ZERO;
        }
        long second = TimeUnit.SECONDS.toNanos(1);
        long now = System.nanoTime();
        long at = Math.max(nextAt, now - second);
        if (at - now > settings.connectionWait().toNanos()) {
            throw new StoreException.Unavailable(
                    "The backend has no turn for this request within %s: it takes %d a second"
                            .formatted(settings.connectionWait(), settings.requestsPerSecond()));
        }
        nextAt = at + second / settings.requestsPerSecond();
        return Duration.ofNanos(at - now);
    }

    /// 0 while half of the connections are free, 1 when none is.
    public double shortage() {
        return Math.max(0, 2.0 * inUse() / settings.maxConnections() - 1);
    }

    public int inUse() {
        return settings.maxConnections() - connections.availablePermits();
    }

    synchronized void succeeded() {
        strikes = Math.max(0, strikes - 1);
    }

    synchronized void throttled(Duration asked) {
        strikes = Math.min(strikes + 1, 30);
        long wait = Math.max(asked.toNanos(), jittered(strikes).toNanos());
        quietUntil = Math.max(quietUntil, System.nanoTime() + wait);
    }

    /// How long to wait before the n-th repetition: half of it fixed, half by chance.
    Duration jittered(int repetition) {
        long longest = settings.longestBackoff().toNanos();
        long full = Math.min(longest, settings.firstBackoff().toNanos() << Math.min(repetition - 1, 20));
        return Duration.ofNanos(full / 2 + ThreadLocalRandom.current().nextLong(full / 2 + 1));
    }

    void pause(Duration wait) {
        if (!wait.isPositive()) {
            return;
        }
        try {
            Thread.sleep(wait);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /// Everyone wakes at another moment, so that the cloud does not meet them all at once.
    private synchronized Duration quiet() {
        long left = quietUntil - System.nanoTime();
        return left <= 0
                ? Duration.ZERO
                : Duration.ofNanos(left + ThreadLocalRandom.current().nextLong(left / 2 + 1));
    }

    private static StoreException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new StoreException.BackendUnavailable("interrupted while waiting for the backend", e);
    }

    /// One connection's worth of the budget; released once, by whoever comes first.
    public final class Lease {
        private boolean released;

        private Lease() {}

        public synchronized void release() {
            if (!released) {
                released = true;
                connections.release();
            }
        }
    }
}
