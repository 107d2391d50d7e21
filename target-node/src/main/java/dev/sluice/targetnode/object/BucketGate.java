package dev.sluice.targetnode.object;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/// Keeps the question "is this bucket empty?" apart from writes that are being committed: each commit passes through its
/// bucket's gate, and the question waits until those that went in before it came out.
final class BucketGate {
    private final ConcurrentHashMap<Long, ReentrantReadWriteLock> gates = new ConcurrentHashMap<>();

    interface Pass extends AutoCloseable {
        @Override
        void close();
    }

    /// For a commit: any number at once.
    Pass enter(long bucketId) {
        var lock = gates.computeIfAbsent(bucketId, _ -> new ReentrantReadWriteLock(true))
                .readLock();
        lock.lock();
        return lock::unlock;
    }

    /// Waits for all commits inside.
    void awaitEmpty(long bucketId) {
        var gate = gates.get(bucketId);
        if (gate != null) {
            gate.writeLock().lock();
            gate.writeLock().unlock();
        }
    }

    void forget(long bucketId) {
        gates.remove(bucketId);
    }
}
