package dev.sluice.targetnode.replica.slices;

import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.store.StoreException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// The memory for cells of objects that clients read, and for what comes from other targets meanwhile. Of it a part is
/// for reads that have begun and have to make cells of others. On any thread.
public final class CellBudget {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Duration MORE_PATIENCE = Duration.ofSeconds(30);
    private static final int LEAST = 64;

    /// One of so many is for those that have begun.
    private static final int PART = 4;

    private final Pool first;
    private final Pool more;

    /// @param bytes for all reads together
    public CellBudget(long bytes) {
        int all = Math.clamp(bytes / BlockSums.BLOCK, LEAST, Integer.MAX_VALUE);
        this.first = new Pool(all - all / PART, PATIENCE);
        this.more = new Pool(all / PART, MORE_PATIENCE);
    }

    /// What one read has of it. For one thread at a time.
    public final class Share implements AutoCloseable {
        private int toBegin;
        private int toGoOn;

        private Share() {}

        /// Waits a little for so many cells, unless it has begun before.
        ///
        /// @throws StoreException.Unavailable when others keep them
        void begin(int cells) {
            if (toBegin == 0) {
                toBegin = first.take(cells);
            }
        }

        /// Waits longer for so many more, unless it has some: answers that have begun break off without them.
        ///
        /// @throws StoreException.Unavailable when others keep them
        void goOn(int cells) {
            if (toGoOn == 0) {
                toGoOn = more.take(cells);
            }
        }

        @Override
        public void close() {
            first.free.release(toBegin);
            more.free.release(toGoOn);
            toBegin = 0;
            toGoOn = 0;
        }
    }

    private static final class Pool {
        private final int all;
        private final Duration patience;
        private final Semaphore free;

        Pool(int all, Duration patience) {
            this.all = all;
            this.patience = patience;
            this.free = new Semaphore(all, true);
        }

        int take(int cells) {
            int count = Math.min(cells, all);
            if (!Await.interruptible(() -> free.tryAcquire(count, patience.toNanos(), TimeUnit.NANOSECONDS))) {
                throw new StoreException.Unavailable("too many objects are read from their slices at once; try again");
            }
            return count;
        }

        int used() {
            return all - free.availablePermits();
        }
    }

    public Share share() {
        return new Share();
    }

    /// How many bytes are in use.
    public long used() {
        return (long) (first.used() + more.used()) * BlockSums.BLOCK;
    }
}
