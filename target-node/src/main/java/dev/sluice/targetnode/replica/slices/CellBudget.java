package dev.sluice.targetnode.replica.slices;

import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.store.StoreException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// The memory for cells of objects that clients read. On any thread.
public final class CellBudget {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final int LEAST = 64;

    private final int all;
    private final Semaphore free;

    /// @param bytes for all reads together
    public CellBudget(long bytes) {
        this.all = Math.clamp(bytes / BlockSums.BLOCK, LEAST, Integer.MAX_VALUE);
        this.free = new Semaphore(all, true);
    }

    /// Waits a little for what one read needs.
    ///
    /// @param cells so many at once
    /// @return how many it has, to be given back
    /// @throws StoreException.Unavailable when others keep them
    int take(int cells) {
        int count = Math.min(cells, all);
        if (!Await.interruptible(() -> free.tryAcquire(count, PATIENCE.toNanos(), TimeUnit.NANOSECONDS))) {
            throw new StoreException.Unavailable("too many objects are read from their slices at once; try again");
        }
        return count;
    }

    void give(int cells) {
        free.release(cells);
    }

    /// How many bytes are in use.
    public long used() {
        return (long) (all - free.availablePermits()) * BlockSums.BLOCK;
    }
}
