package dev.sluice.targetnode.storage.pace;

import java.util.concurrent.locks.LockSupport;

/// Time as a job sees it; tests have their own.
public interface Clock {
    /// The real one. A pause ends when the thread is unparked.
    Clock SYSTEM = new Clock() {
        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public long millis() {
            return System.currentTimeMillis();
        }

        @Override
        public void pause(long nanos) {
            LockSupport.parkNanos(nanos);
        }
    };

    long nanos();

    long millis();

    /// Waits on the calling thread; may return early.
    void pause(long nanos);
}
