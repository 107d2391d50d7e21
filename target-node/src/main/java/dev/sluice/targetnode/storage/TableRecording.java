package dev.sluice.targetnode.storage;

import dev.sluice.targetnode.storage.health.DriveSlot;
import dev.sluice.targetnode.storage.health.DriveState;
import dev.sluice.targetnode.storage.spread.DriveTable;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Writes a drive table to all drives that can be written, at once, and waits for them, but for none for long.
final class TableRecording {
    private static final Logger LOG = LoggerFactory.getLogger(TableRecording.class);
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    record Place(AttachedDrive drive, DriveSlot slot) {
        /// A disabled drive is not open, but it may be there.
        boolean isAsked() {
            var state = slot.status().state();
            return state == DriveState.ONLINE || state == DriveState.STARTING || state == DriveState.DISABLED;
        }
    }

    /// @return the ids of the drives that have it
    Set<String> record(DriveTable table, Set<String> asked, List<Place> places) {
        var writing = new HashMap<Place, CompletableFuture<Void>>();
        for (var place : places) {
            if (table.members().containsKey(place.drive().id()) && place.isAsked()) {
                writing.put(place, place.drive().record(table, asked));
            }
        }
        long end = System.nanoTime() + PATIENCE.toNanos();
        var having = new HashSet<String>();
        writing.forEach((place, written) -> {
            if (isWritten(place, written, end)) {
                having.add(place.drive().id());
            }
        });
        return having;
    }

    private static boolean isWritten(Place place, CompletableFuture<Void> written, long end) {
        try {
            written.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
            return true;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException failure) {
            suspect(place, failure.getCause() == null ? failure : failure.getCause());
            return false;
        } catch (TimeoutException _) {
            suspect(place, new java.io.IOException("it did not take the drive table within " + PATIENCE));
            return false;
        }
    }

    private static void suspect(Place place, Throwable failure) {
        var drive = place.slot().open();
        LOG.warn("drive {} does not take the drive table: {}", place.drive().id(), failure.toString());
        drive.ifPresent(open -> open.suspicion().add("the drive table", failure));
    }
}
