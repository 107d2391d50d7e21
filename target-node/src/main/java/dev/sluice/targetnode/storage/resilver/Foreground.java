package dev.sluice.targetnode.storage.resilver;

import dev.sluice.targetnode.storage.drive.Drive;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// How many requests wait for a drive, besides what the resilver itself may have in its queue.
final class Foreground {
    private final Map<String, Integer> own = new ConcurrentHashMap<>();

    /// The resilver begins something that may use these drives.
    void begin(Collection<String> drives) {
        drives.forEach(drive -> own.merge(drive, 1, Integer::sum));
    }

    void end(Collection<String> drives) {
        drives.forEach(drive -> own.merge(drive, -1, Integer::sum));
    }

    int waiting(Drive drive) {
        int queuedHere = Math.max(0, own.getOrDefault(drive.id(), 0) - drive.threads());
        return Math.max(0, drive.waiting() - queuedHere);
    }
}
