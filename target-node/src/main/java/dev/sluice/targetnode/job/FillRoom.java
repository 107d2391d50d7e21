package dev.sluice.targetnode.job;

import dev.sluice.common.jobs.JobState;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/// Room for what jobs store, so that they never make a drive evict. What is being stored counts until it is: while
/// something is, a job that does not fit waits for its end.
final class FillRoom {
    private static final long BLOCK = 4096;

    /// What an object takes besides its bytes: its record, rows in the index, its entry in a folder.
    private static final long BESIDES = 8 << 10;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition released = lock.newCondition();
    private long taken;

    /// Room of one object; to be closed when it is stored.
    interface Taken extends AutoCloseable {
        @Override
        void close();
    }

    /// @param size of the object
    /// @param left how many bytes there is room for now, without what is taken here
    /// @param full what to say when it does not fit
    /// @throws JobEnded when it does not fit, and nothing is under way that may change that
    Taken take(long size, LongSupplier left, String full) throws InterruptedException {
        long bytes = onDrive(size);
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

    /// A file system gives whole blocks.
    static long onDrive(long size) {
        return (size + BLOCK - 1) / BLOCK * BLOCK + BESIDES;
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
