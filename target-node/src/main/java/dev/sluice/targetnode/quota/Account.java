package dev.sluice.targetnode.quota;

import java.util.function.LongSupplier;

/// What writes under way on this target may add to one bucket, and what writes that have ended added on other targets,
/// until these have said so.
final class Account {
    private long reserved;

    /// Ended since the others were asked last.
    private long ended;

    /// Ended before that, and perhaps not in their answers.
    private long endedBefore;

    /// By writes under way.
    synchronized long reserved() {
        return reserved;
    }

    /// That counts besides what is taken here and what the others have said.
    synchronized long counted() {
        return reserved + ended + endedBefore;
    }

    /// Whether [#reserve] would do it now.
    synchronized boolean hasRoomFor(long more, LongSupplier taken, long quota) {
        return more <= quota - counted() - taken.getAsLong();
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

    /// @param elsewhere how much of it other targets have now
    synchronized void release(long bytes, long elsewhere) {
        reserved -= bytes;
        ended += elsewhere;
    }

    /// The others have answered.
    synchronized void heard() {
        endedBefore = ended;
        ended = 0;
    }
}
