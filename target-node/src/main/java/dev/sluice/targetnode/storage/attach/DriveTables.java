package dev.sluice.targetnode.storage.attach;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.spread.DriveTable;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps a target's drive table: the one that counts now, and how another one comes to count.
///
/// A change that fails may yet be on some drives, and would count after a restart; so no two tables ever have the same
/// version, not even of two processes one after the other: versions follow the clock.
public final class DriveTables {
    private static final Logger LOG = LoggerFactory.getLogger(DriveTables.class);

    /// Where tables are kept.
    @FunctionalInterface
    public interface Recording {
        /// Blocks.
        ///
        /// @param asked the drives of which half must have it
        /// @return the ids of the drives that have the table now, durably
        Set<String> record(DriveTable next, Set<String> asked);
    }

    private final Recording recording;
    private final InstantSource clock;
    private final List<Consumer<DriveTable>> listeners = new CopyOnWriteArrayList<>();
    private final ReentrantLock changing = new ReentrantLock();
    private volatile DriveTable current;
    private long tried;
    private boolean ended;

    /// @param first the table that counts, and is recorded
    public DriveTables(DriveTable first, Recording recording) {
        this(first, recording, InstantSource.system());
    }

    DriveTables(DriveTable first, Recording recording, InstantSource clock) {
        this.current = first;
        this.recording = recording;
        this.clock = clock;
        this.tried = first.version();
    }

    public DriveTable current() {
        return current;
    }

    /// @param listener told of each later table, in order, before [#change] returns; must neither block nor change
    public void listen(Consumer<DriveTable> listener) {
        listeners.add(listener);
    }

    /// Changes the table, one change after the other. Blocks until enough drives have the new one.
    ///
    /// @param step returns its argument when there is nothing to change
    /// @return the table that counts now
    /// @throws StoreException.Unavailable when too few drives can be written; it counts no change then
    public DriveTable change(UnaryOperator<DriveTable> step) {
        changing.lock();
        try {
            var next = step.apply(current);
            if (next.equals(current)) {
                return current;
            }
            if (ended) {
                throw new StoreException.Unavailable("the target stops: its drives stay as they are");
            }
            tried = versionAfter(tried, clock);
            next = next.numbered(tried);
            if (!current.isSucceededBy(next, recording.record(next, current.asked(next)))) {
                throw new StoreException.Unavailable(
                        "too few drives can be written to record a change of the set of drives");
            }
            current = next;
            tell(next);
            return next;
        } finally {
            changing.unlock();
        }
    }

    static long versionAfter(long version, InstantSource clock) {
        return Math.max(version + 1, clock.millis());
    }

    private void tell(DriveTable next) {
        for (var listener : listeners) {
            try {
                listener.accept(next);
            } catch (RuntimeException failure) {
                LOG.error("drive map version {}: a listener failed", next.version(), failure);
            }
        }
    }

    /// Nothing changes any more.
    ///
    /// @return the last table
    public DriveTable end() {
        changing.lock();
        try {
            ended = true;
            return current;
        } finally {
            changing.unlock();
        }
    }
}
