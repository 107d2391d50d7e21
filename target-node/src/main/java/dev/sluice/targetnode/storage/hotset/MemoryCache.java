package dev.sluice.targetnode.storage.hotset;

import java.util.concurrent.atomic.AtomicLong;

/// How much of the memory for bytes of hot objects is taken.
final class MemoryCache {
    private final long limit;
    private final AtomicLong used = new AtomicLong();

    MemoryCache(long limit) {
        this.limit = limit;
    }

    /// @return false when there is no room for so many
    boolean take(long bytes) {
        boolean fits = used.addAndGet(bytes) <= limit;
        if (!fits) {
            give(bytes);
        }
        return fits;
    }

    void give(long bytes) {
        used.addAndGet(-bytes);
    }

    long used() {
        return used.get();
    }
}
