package dev.sluice.targetnode.job;

import dev.sluice.common.jobs.JobState;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/// Room for what jobs store, so that they never make a drive evict. What is being stored counts until it is: while
/// something is, a job that does not fit waits for its end.
final class FillRoom {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition released = lock.newCondition();
    private long taken;

    /// Room of one object; to be closed when it is stored.
    interface Taken extends AutoCloseable {
        @Override
        void close();
    }

    /// @param left how many bytes there is room for now, without what is taken here
    /// @param full what to say when it does not fit
    /// @throws JobEnded when it does not fit, and nothing is under way that may change that
    Taken take(long bytes, LongSupplier left, String full) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (left.getAsLong() - taken < bytes) {
                if (taken == 0) {
                    throw new JobEnded(JobState.FULL, full);
                }
                released.await();
            }
            taken += bytes;
            return () -> release(bytes);
        } finally {
            lock.unlock();
        }
    }

    private void release(long bytes) {
        lock.lock();
        try {
            taken -= bytes;
            released.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
