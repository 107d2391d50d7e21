package dev.sluice.targetnode.replica.loop;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.function.LongSupplier;

/// This target's right to serve and to acknowledge: it ends by itself unless the controllers go on promising not to
/// give its slots to others. May be asked by any thread.
public final class Lease {
    private static final long LENGTH = Duration.ofSeconds(1).toNanos();
    private static final int PENDING = 8;

    /// A promise that names a newer version than this target has applied.
    private record Promise(long sentAt, long version) {}

    private final LongSupplier clock;
    private final ArrayDeque<Promise> pending = new ArrayDeque<>();
    private long applied = -1;
    private boolean ended;
    private volatile long until = Long.MIN_VALUE;

    /// @param clock nanoseconds of a clock that counts the time the machine is suspended, and never goes back
    public Lease(LongSupplier clock) {
        this.clock = clock;
    }

    public long now() {
        return clock.getAsLong();
    }

    boolean held() {
        return until > clock.getAsLong();
    }

    /// A majority of the controllers promised.
    ///
    /// @param sentAt when the beat was sent that they answered
    /// @param version of the state that they know: the promise counts once this target has applied it
    public synchronized void promised(long sentAt, long version) {
        if (version <= applied) {
            renew(sentAt);
        } else {
            pending.addLast(new Promise(sentAt, version));
            if (pending.size() > PENDING) {
                pending.removeFirst();
            }
        }
    }

    public synchronized void applied(long version) {
        applied = version;
        pending.stream().filter(promise -> promise.version <= version).forEach(promise -> renew(promise.sentAt));
        pending.removeIf(promise -> promise.version <= version);
    }

    /// The version that the drive of this lease has applied; -1 for none.
    public synchronized long applied() {
        return applied;
    }

    /// What this target has applied is not known: no promise counts before the next state is applied.
    public synchronized void withdraw() {
        applied = -1;
        until = Long.MIN_VALUE;
    }

    /// At the end of an orderly stop.
    public synchronized void end() {
        ended = true;
        pending.clear();
        until = Long.MIN_VALUE;
    }

    private void renew(long sentAt) {
        if (!ended) {
            until = Math.max(until, sentAt + LENGTH);
        }
    }
}
