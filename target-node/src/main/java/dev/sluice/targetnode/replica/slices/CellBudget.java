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

    /// What one read has of it. For one thread at a time.
    public final class Share implements AutoCloseable {
        private int cells;

        private Share() {}

        /// Waits a little for so many cells, those that it has among them.
        ///
        /// @throws StoreException.Unavailable when others keep them
        void need(int count) {
            int more = Math.min(count, all) - cells;
            if (more > 0) {
                take(more);
                cells += more;
            }
        }

        @Override
        public void close() {
            free.release(cells);
            cells = 0;
        }
    }

    public Share share() {
        return new Share();
    }

    private void take(int cells) {
        if (!Await.interruptible(() -> free.tryAcquire(cells, PATIENCE.toNanos(), TimeUnit.NANOSECONDS))) {
            throw new StoreException.Unavailable("too many objects are read from their slices at once; try again");
        }
    }

    /// How many bytes are in use.
    public long used() {
        return (long) (all - free.availablePermits()) * BlockSums.BLOCK;
    }
}
