package dev.sluice.targetnode.replica.loop;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.record.ObjectKey;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// Lets one write of a key in at a time. Unlike a lock, whoever ends the write opens the gate again, on any thread: the
/// client may not have waited for it.
final class KeyGates {
    private static final class Gate extends Semaphore {
        private int users;

        Gate() {
            super(1, true);
        }
    }

    private final ConcurrentHashMap<ObjectKey, Gate> gates = new ConcurrentHashMap<>();

    /// To be followed by [#leave]. For virtual threads.
    ///
    /// @throws StoreException.Unavailable when the writes before take too long
    void enter(ObjectKey key, Duration patience) {
        var gate = gates.compute(key, (_, present) -> {
            var used = present == null ? new Gate() : present;
            used.users++;
            return used;
        });
        boolean entered = false;
        try {
            entered = gate.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } finally {
            if (!entered) {
                forget(key);
            }
        }
        if (!entered) {
            throw new StoreException.Unavailable("other writes of this key take too long; try again");
        }
    }

    void leave(ObjectKey key) {
        var gate = gates.get(key);
        if (gate == null) {
            throw new IllegalStateException("nobody is in the gate of " + key);
        }
        gate.release();
        forget(key);
    }

    private void forget(ObjectKey key) {
        gates.computeIfPresent(key, (_, gate) -> --gate.users == 0 ? null : gate);
    }
}
