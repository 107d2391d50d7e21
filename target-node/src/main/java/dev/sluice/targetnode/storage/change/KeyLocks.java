package dev.sluice.targetnode.storage.change;

import dev.sluice.targetnode.storage.record.ObjectKey;
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
        var lock = locks.compute(key, (_, present) -> {
            var counted = present == null ? new Counted() : present;
            counted.users++;
            return counted;
        });
        lock.lock();
        return () -> {
            lock.unlock();
            locks.computeIfPresent(key, (_, counted) -> --counted.users == 0 ? null : counted);
        };
    }
}
