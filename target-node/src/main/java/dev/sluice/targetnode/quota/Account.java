package dev.sluice.targetnode.quota;

import java.util.function.LongSupplier;

/// What writes under way on this target may add to one bucket.
final class Account {
    private long reserved;

    synchronized long reserved() {
        return reserved;
    }

    /// Whether [#reserve] would do it now.
    synchronized boolean hasRoomFor(long more, LongSupplier taken, long quota) {
        return more <= quota - reserved - taken.getAsLong();
    }

    /// @param taken without what is reserved; asked in here, where no write can end meanwhile: so each counts as
    ///     reserved, as taken, or for a moment as both, but never as neither
    /// @return false when that would be more than the quota
    synchronized boolean reserve(long more, LongSupplier taken, long quota) {
        if (!hasRoomFor(more, taken, quota)) {
            return false;
        }
        reserved += more;
        return true;
    }

    synchronized void release(long bytes) {
        reserved -= bytes;
    }
}
