package dev.sluice.targetnode.storage;

import dev.sluice.common.http.CutShortException;
import java.io.IOException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// How many bytes of an upload are on its drive, for those who follow it.
final class UploadProgress {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition moved = lock.newCondition();
    private long written;
    private boolean ended;

    /// @param all so far
    void wrote(long all) {
        lock.lock();
        try {
            written = all;
            moved.signalAll();
        } finally {
            lock.unlock();
        }
    }

    long count() {
        lock.lock();
        try {
            return written;
        } finally {
            lock.unlock();
        }
    }

    /// No more are written.
    void end() {
        lock.lock();
        try {
            ended = true;
            moved.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// See [dev.sluice.targetnode.storage.slots.Arriving#awaitBeyond].
    long awaitBeyond(long position) throws IOException {
        lock.lock();
        try {
            while (written <= position) {
                if (ended) {
                    throw new CutShortException("the upload ended at byte " + written);
                }
                moved.await();
            }
            return written;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for an upload", e);
        } finally {
            lock.unlock();
        }
    }
}
