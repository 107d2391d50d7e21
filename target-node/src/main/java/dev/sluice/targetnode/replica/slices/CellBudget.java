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
    private static final Duration MORE_PATIENCE = Duration.ofSeconds(10);
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
        private int ofFirst;
        private int ofMore;
        private boolean goesOn;

        private Share() {}

        /// Waits a little for so many cells, unless it has begun before.
        ///
        /// @throws StoreException.Unavailable when others keep them
        void begin(int cells) {
            if (ofFirst == 0) {
                ofFirst = first.take(cells);
            }
        }

        /// Takes so many more, unless it did before: of what is free, or else waits for the part that is set aside. An
        /// answer that has begun breaks off without them.
        ///
        /// @throws StoreException.Unavailable when others keep them
        void goOn(int cells) {
            if (goesOn) {
                return;
            }
            if (first.free.tryAcquire(cells)) {
                ofFirst += cells;
            } else {
                ofMore = more.take(cells);
            }
            goesOn = true;
        }

        @Override
        public void close() {
            first.free.release(ofFirst);
            more.free.release(ofMore);
            ofFirst = 0;
            ofMore = 0;
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

    /// 0 while half of it is free, 1 when nothing is.
    double shortage() {
        return Math.max(0, 2.0 * first.used() / first.all - 1);
    }

    public Share share() {
        return new Share();
    }

    /// How many bytes are in use.
    public long used() {
        return (long) (first.used() + more.used()) * BlockSums.BLOCK;
    }
}
