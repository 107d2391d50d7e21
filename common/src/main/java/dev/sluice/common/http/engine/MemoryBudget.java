package dev.sluice.common.http.engine;

import java.util.concurrent.atomic.AtomicLong;

/// Counts the body bytes that wait in queues. Nobody waits for it: a connection whose own queue is empty may
/// always take one read more, so that each makes progress; one that has bytes waiting gets more only while the
/// sum is below the limit.
final class MemoryBudget {
    private final long limit;
    private final Gauge used;

    MemoryBudget(long limit, Gauge used) {
        this.limit = limit;
        this.used = used;
    }

    void add(long bytes) {
        used.bytes.addAndGet(bytes);
    }

    boolean exhausted() {
        return used.bytes.get() >= limit;
    }

    static final class Gauge {
        private final AtomicLong bytes = new AtomicLong();

        long bytes() {
            return bytes.get();
        }
    }
}
