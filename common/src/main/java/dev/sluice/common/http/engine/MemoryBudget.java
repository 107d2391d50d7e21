package dev.sluice.common.http.engine;

import java.util.concurrent.atomic.AtomicLong;

/// Counts the body bytes that wait in queues, of all servers of a process. Nobody waits for it: a connection whose own
/// queue is empty may always take one read more, so that each makes progress, but a small one while the sum is at the
/// limit; one that has bytes waiting gets more only while it is below.
final class MemoryBudget {
    private final long limit;
    private final AtomicLong all;
    private final Gauge used;

    /// @param all shared by the servers whose bytes are limited together
    /// @param used of this server
    MemoryBudget(long limit, AtomicLong all, Gauge used) {
        this.limit = limit;
        this.all = all;
        this.used = used;
    }

    void add(long bytes) {
        all.addAndGet(bytes);
        used.bytes.addAndGet(bytes);
    }

    boolean exhausted() {
        return all.get() >= limit;
    }

    static final class Gauge {
        private final AtomicLong bytes = new AtomicLong();

        long bytes() {
            return bytes.get();
        }
    }
}
