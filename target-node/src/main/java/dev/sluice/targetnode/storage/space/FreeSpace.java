package dev.sluice.targetnode.storage.space;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.files.DriveFiles;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// What is free on a drive, without asking it for each write: the last answer, less what was promised since. A
/// write that finds no room wakes who evicts copies, and waits a little while that one has hope.
public final class FreeSpace {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final String drive;
    private final DriveFiles files;
    private final long reserve;
    private final Watermarks marks;
    private final AtomicLong free = new AtomicLong();
    private final AtomicLong wanted = new AtomicLong();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Fullness fullness = new Fullness();
    private volatile long total;
    private volatile boolean hopeful;
    private volatile boolean ended;
    private volatile Runnable whenPressed = () -> {};

    public FreeSpace(String drive, DriveFiles files, long reserve, Watermarks marks) {
        this.drive = drive;
        this.files = files;
        this.reserve = reserve;
        this.marks = marks;
    }

    /// Asks the file system. On a drive thread.
    public void refresh() throws IOException {
        total = files.totalBytes();
        long now = files.freeBytes();
        free.set(now);
        fullness.measured(now, reserve, total, hopeful);
        tellWaiting();
    }

    /// Takes care that there is room for the next start.
    public void keepBallast() throws IOException {
        Ballast.keep(files, reserve, free.get());
    }

    /// Takes nothing: to be asked for all of a write that takes its room in steps. Refuses what is larger than all
    /// that may ever be free, and, while eviction has no hope, what does not fit now. The latter makes eviction try
    /// for a step more than is free, and for no more: the sender has only announced its bytes.
    ///
    /// @throws StoreException.NoSpace when it does not fit
    public void requireFits(long bytes) {
        if (bytes > total - reserve) {
            throw full(bytes);
        }
        long now = free.get() - reserve;
        if (!hopeful && bytes > now) {
            wanted.accumulateAndGet(Math.min(bytes, Math.max(0, now) + RoomSteps.STEP), Math::max);
            whenPressed.run();
            throw full(bytes);
        }
    }

    /// The same for what a replica is to take. A refusal counts for [#isFull]: it is not about what a client announced.
    ///
    /// @throws StoreException.NoSpace when it does not fit
    public void requireFitsReplica(long bytes) {
        try {
            requireFits(bytes);
        } catch (StoreException.NoSpace refused) {
            fullness.refused(free.get(), reserve, total);
            throw refused;
        }
    }

    /// Takes room for what is to be written; for virtual threads.
    ///
    /// @throws StoreException.NoSpace when that would touch the reserve, and eviction does not help in time
    /// @throws StoreException.Unavailable when the drive takes no more, also while it waits
    public void take(long bytes) {
        if (!fits(bytes) && !awaitRoom(bytes)) {
            if (ended) {
                throw new StoreException.Unavailable("drive " + drive + " takes no writes now");
            }
            fullness.refused(free.get(), reserve, total);
            throw full(bytes);
        }
        if (excess() > 0) {
            whenPressed.run();
        }
    }

    private StoreException.NoSpace full(long bytes) {
        return new StoreException.NoSpace("The drive %s is full: %d bytes are wanted, %d are free, %d are kept free"
                        .formatted(drive, bytes, free.get(), reserve)
                + ". Delete objects, or give it more room");
    }

    private boolean fits(long bytes) {
        if (free.addAndGet(-bytes) < reserve) {
            free.addAndGet(bytes);
            return false;
        }
        return true;
    }

    private boolean awaitRoom(long bytes) {
        if (bytes > total - reserve) {
            return false;
        }
        lock.lock();
        try {
            long left = PATIENCE.toNanos();
            boolean taken = false;
            while (!taken && !ended && left > 0) {
                wanted.accumulateAndGet(bytes, Math::max);
                whenPressed.run();
                if (!hopeful) {
                    return false;
                }
                left = changed.awaitNanos(left);
                taken = fits(bytes);
            }
            return taken;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }

    /// The drive takes no more changes: who waits for room need not.
    public void end() {
        ended = true;
        tellWaiting();
    }

    private void tellWaiting() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// The file system itself said that it is full: somebody else may have filled it.
    public StoreException.NoSpace ranOut() {
        return new StoreException.NoSpace(
                "The drive %s is full: its file system took no more; %d bytes were free when it was last asked"
                                .formatted(drive, free.get())
                        + ", %d are kept free. Delete objects, or give it more room".formatted(reserve));
    }

    /// Asks the file system after it said that it is full. On a drive thread.
    public void refreshRanOut() throws IOException {
        refresh();
        fullness.ranOut(free.get(), reserve, total);
    }

    /// Whether the drive has no room for new learners; with hysteresis. Never blocks.
    public boolean isFull() {
        return fullness.isFull();
    }

    public long free() {
        return free.get();
    }

    public long total() {
        return total;
    }

    /// How many bytes it takes before copies are evicted; negative above the high watermark.
    public long beforeEviction() {
        return free.get() - marks.freeAtHigh(total, reserve);
    }

    /// How many bytes are to be evicted; 0 while the drive is not above its high watermark and no write was short
    /// of room.
    public long excess() {
        long now = free.get();
        boolean pressed = now < marks.freeAtHigh(total, reserve) || now - wanted.get() < reserve;
        return pressed && total > 0 ? Math.max(0, goal() - now) : 0;
    }

    private long goal() {
        return Math.max(marks.freeAtLow(total, reserve), reserve + wanted.get());
    }

    /// Whether eviction may end before it has freed what was to be: others on the same file system freed it too.
    public boolean isRelieved() {
        return free.get() >= goal();
    }

    /// @param evict never blocks; called again and again while there is an [#excess]
    public void whenPressed(Runnable evict) {
        whenPressed = evict;
    }

    /// A run of eviction ended, or the first is yet to come.
    ///
    /// @param hope whether a write without room should wait for the next one
    public void evicted(boolean hope) {
        wanted.set(0);
        hopeful = hope;
        tellWaiting();
    }
}
