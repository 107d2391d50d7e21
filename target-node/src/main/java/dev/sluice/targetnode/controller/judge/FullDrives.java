package dev.sluice.targetnode.controller.judge;

import dev.sluice.common.cluster.slots.DriveEntry;
import dev.sluice.common.cluster.slots.Replication;
import dev.sluice.common.name.NodeId;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Drives that have no room for new learners, as the targets' heartbeats say. What a target said last counts until the
/// first heartbeat after it registered again: else it would be given learners for a moment.
///
/// The controller that plans remembers this, the log does not.
final class FullDrives {
    private static final Logger LOG = LoggerFactory.getLogger(FullDrives.class);

    private record Report(int incarnation, Set<String> drives) {}

    private final Map<NodeId, Report> reports = new ConcurrentHashMap<>();
    private volatile Set<String> full = Set.of();

    /// Counts from the next [#follow] on. Never blocks.
    void report(NodeId target, int incarnation, Set<String> drives) {
        reports.put(target, new Report(incarnation, Set.copyOf(drives)));
    }

    boolean contains(String drive) {
        return full.contains(drive);
    }

    /// What heartbeats have said so far counts from now on.
    ///
    /// @return the drives that have room again
    Set<String> follow(Replication now) {
        var before = full;
        var next = new HashSet<String>();
        now.drives().entries().forEach((drive, entry) -> {
            if (isFull(drive, entry, now, before)) {
                next.add(drive);
            }
        });
        if (next.equals(before)) {
            return Set.of();
        }
        full = Set.copyOf(next);
        next.stream()
                .filter(drive -> !before.contains(drive))
                .forEach(drive -> LOG.warn("drive {} is full: it gets no new learners", drive));
        var again = new HashSet<>(before);
        again.removeAll(next);
        again.forEach(drive -> LOG.info("drive {} has room for learners again", drive));
        return again;
    }

    private boolean isFull(String drive, DriveEntry entry, Replication now, Set<String> before) {
        return Optional.ofNullable(reports.get(entry.target()))
                .filter(report -> report.incarnation == now.incarnation(entry.target()))
                .map(report -> report.drives.contains(drive))
                .orElse(before.contains(drive));
    }
}
