package dev.sluice.targetnode.storage.change;

import dev.sluice.targetnode.storage.record.ObjectKey;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/// A lock for each key that is in use, for virtual threads.
public final class KeyLocks {
    private static final class Counted extends ReentrantLock {
        private int users;
    }

    /// Gives the lock back.
    public interface Held extends AutoCloseable {
        @Override
        void close();
    }

    private final ConcurrentHashMap<ObjectKey, Counted> locks = new ConcurrentHashMap<>();

    public Held lock(ObjectKey key) {
        var lock = use(key);
        lock.lock();
        return held(key, lock);
    }

    /// @return empty when another thread has it
    public Optional<Held> tryLock(ObjectKey key) {
        var lock = use(key);
        if (lock.tryLock()) {
            return Optional.of(held(key, lock));
        }
        leave(key);
        return Optional.empty();
    }

    private Counted use(ObjectKey key) {
        return locks.compute(key, (_, present) -> {
            var counted = present == null ? new Counted() : present;
            counted.users++;
            return counted;
        });
    }

    private Held held(ObjectKey key, Counted lock) {
        return () -> {
            lock.unlock();
            leave(key);
        };
    }

    private void leave(ObjectKey key) {
        locks.computeIfPresent(key, (_, counted) -> --counted.users == 0 ? null : counted);
    }
}
