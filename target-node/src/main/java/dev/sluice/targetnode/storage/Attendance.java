package dev.sluice.targetnode.storage;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.attach.DriveTables;
import dev.sluice.targetnode.storage.files.DriveThread;
import dev.sluice.targetnode.storage.health.DriveSlot;
import dev.sluice.targetnode.storage.health.DriveState;
import dev.sluice.targetnode.storage.spread.DriveTable;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps the current spread of the drive table to the drives that take writes, on a thread of its own.
///
/// It compares the two whenever either changed, and again after a failure; so no change of a drive is missed, however
/// many there are at once. A drive that is being opened stays as it is.
final class Attendance implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Attendance.class);
    private static final Duration AGAIN_AFTER = Duration.ofSeconds(1);
    private static final Set<DriveState> AWAY = Set.of(DriveState.OFFLINE, DriveState.READ_ONLY, DriveState.DISABLED);

    private final DriveTables tables;
    private final Supplier<List<DriveSlot>> slots;
    private final AtomicBoolean wanted = new AtomicBoolean();
    private final ScheduledThreadPoolExecutor thread =
            new ScheduledThreadPoolExecutor(1, work -> new DriveThread(work, "attendance"));
    private volatile boolean begun;
    private String lastFailure = "";

    Attendance(DriveTables tables, Supplier<List<DriveSlot>> slots) {
        this.tables = tables;
        this.slots = slots;
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /// To be called when the drives have been opened as far as they are opened at once. Returns when it was compared
    /// for the first time.
    void begin() {
        begun = true;
        try {
            thread.submit(this::compare).get();
        } catch (ExecutionException failure) {
            throw new IllegalStateException(failure);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// Never blocks.
    void look() {
        if (begun) {
            lookAfter(Duration.ZERO);
        }
    }

    private void lookAfter(Duration wait) {
        if (wanted.compareAndSet(false, true)) {
            try {
                var _ = thread.schedule(this::compare, wait.toNanos(), TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException _) {
                LOG.debug("the target stops");
            }
        }
    }

    private void compare() {
        wanted.set(false);
        try {
            tables.change(this::attended);
            lastFailure = "";
        } catch (StoreException failure) {
            var why = String.valueOf(failure.getMessage());
            if (!why.equals(lastFailure)) {
                LOG.warn("which drives take writes is not recorded yet: {}", why);
                lastFailure = why;
            }
            lookAfter(AGAIN_AFTER);
        } catch (RuntimeException failure) {
            LOG.error("which drives take writes is not recorded yet", failure);
            lookAfter(AGAIN_AFTER);
        }
    }

    private DriveTable attended(DriveTable table) {
        Map<String, DriveState> states = slots.get().stream()
                .collect(Collectors.toMap(DriveSlot::id, slot -> slot.status().state()));
        Function<String, DriveState> state = id -> states.getOrDefault(id, DriveState.OFFLINE);
        var next = withoutAway(table, state);
        for (var id : table.members().keySet()) {
            if (state.apply(id) == DriveState.ONLINE) {
                next = next.withBack(id);
            }
        }
        return withoutAway(next, state);
    }

    private static DriveTable withoutAway(DriveTable table, Function<String, DriveState> state) {
        var next = table;
        for (var id : table.current().weights().keySet()) {
            var member = table.members().get(id);
            if (member == null || member.leaving() || member.disabled() || AWAY.contains(state.apply(id))) {
                next = next.without(id);
            }
        }
        return next;
    }

    @Override
    public void close() {
        thread.close();
    }
}
