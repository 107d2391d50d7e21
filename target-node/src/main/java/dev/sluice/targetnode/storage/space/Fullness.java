package dev.sluice.targetnode.storage.space;

/// Whether a drive is full: it takes no new learners then. It is full from a write that found no room, or from less
/// than the reserve free, until one hundredth of its size is free above the reserve. Else it would begin to copy, and
/// refuse again, with each object that is deleted.
final class Fullness {
    private static final int MARGIN = 100;

    /// With this much free the drive is not full any more; 0 while it is not full.
    private volatile long enough;

    boolean isFull() {
        return enough > 0;
    }

    /// A write found no room. One that is large does not count while much is free: smaller ones fit.
    synchronized void refused(long free, long reserve, long total) {
        long level = level(reserve, total);
        if (free < level) {
            enough = Math.max(enough, level);
        }
    }

    /// The file system itself took no more, though it may say that bytes are free: it has no more file nodes, or a
    /// quota. So more must be free than now.
    synchronized void ranOut(long free, long reserve, long total) {
        enough = Math.max(enough, level(Math.max(free, reserve), total));
    }

    /// The file system was asked.
    ///
    /// @param hopeful whether eviction may make room
    synchronized void measured(long free, long reserve, long total, boolean hopeful) {
        if (free < reserve && !hopeful) {
            refused(free, reserve, total);
        } else if (free >= enough) {
            enough = 0;
        }
    }

    private static long level(long above, long total) {
        return above + Math.max(1, total / MARGIN);
    }
}
