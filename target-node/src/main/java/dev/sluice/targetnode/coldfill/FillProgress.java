package dev.sluice.targetnode.coldfill;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// How far a fill has come, for the readers that follow it.
///
/// The last [#HELD_BACK] bytes are not given out before the whole object was verified and stored: a reader of bytes
/// that turn out wrong is left with a body that is too short, which no client takes for the object. A reader of a range
/// that ends before them may have got all of it by then: a range alone can be compared with nothing.
final class FillProgress {
    static final long HELD_BACK = 64 << 10;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition moved = lock.newCondition();
    private long openEnd;
    private long written;
    private boolean complete;
    private Optional<Throwable> failure = Optional.empty();

    /// Says how large the object is, before anyone asks for its bytes.
    void begin(long size) {
        lock.lock();
        try {
            openEnd = Math.max(0, size - HELD_BACK);
        } finally {
            lock.unlock();
        }
    }

    void wrote(long bytes) {
        lock.lock();
        try {
            written += bytes;
            moved.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void complete() {
        lock.lock();
        try {
            complete = true;
            moved.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void fail(Throwable cause) {
        lock.lock();
        try {
            failure = Optional.of(cause);
            moved.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// How many bytes may be read, without waiting.
    long available() {
        lock.lock();
        try {
            return readable();
        } finally {
            lock.unlock();
        }
    }

    /// Waits until a byte at this position may be read.
    ///
    /// @return how many bytes of the object may be read, more than `position`
    /// @throws IOException when the fill failed
    long awaitBeyond(long position) throws IOException {
        lock.lock();
        try {
            while (readable() <= position) {
                if (failure.isPresent()) {
                    throw new IOException(
                            "the fill from the cloud failed: " + failure.get().getMessage(), failure.get());
                }
                moved.await();
            }
            return readable();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for the cloud", e);
        } finally {
            lock.unlock();
        }
    }

    private long readable() {
        return complete ? Long.MAX_VALUE : Math.min(written, openEnd);
    }
}
