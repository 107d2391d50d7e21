package dev.sluice.common.http.engine;

import java.util.concurrent.atomic.AtomicLong;

/// Counts the bytes of bodies that are in memory on their way, of all servers of a process. Nobody waits for it. Above
/// half of the limit nothing is kept for later use. Above the limit each request holds its smallest share, so that each
/// makes progress. At twice the limit new requests are refused. Safe on all threads.
public final class MemoryBudget {
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

    /// These bytes are in memory from now on.
    public void charge(long bytes) {
        all.addAndGet(bytes);
        used.bytes.addAndGet(bytes);
    }

    /// They no longer are. Whoever charged them releases them, once.
    public void release(long bytes) {
        charge(-bytes);
    }

    /// The limit is reached: no request may hold more than its smallest share.
    public boolean exhausted() {
        return all.get() >= limit;
    }

    /// Which part of it is used; more than 1 beyond it.
    double part() {
        return (double) all.get() / limit;
    }

    /// Half of it is used: the rest is for what each connection needs to make progress at full speed.
    boolean scarce() {
        return all.get() >= limit / 2;
    }

    /// The smallest shares of all requests are twice the limit: no further request can be taken.
    boolean full() {
        return all.get() >= 2 * limit;
    }

    static final class Gauge {
        private final AtomicLong bytes = new AtomicLong();

        long bytes() {
            return bytes.get();
        }
    }
}
