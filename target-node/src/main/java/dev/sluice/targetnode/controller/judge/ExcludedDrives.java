package dev.sluice.targetnode.controller.judge;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.Command.SlotDrive;
import dev.sluice.common.cluster.slots.Group;
import dev.sluice.common.cluster.slots.Replication;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.common.time.NanoClock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/// Drives that are not chosen for a slot: they refused a write as learners and were taken off it, or were full. That
/// lasts for 2 s at least, and then until no learner is left that has begun on another drive: what that one has copied
/// is not thrown away. The controller that plans remembers this, the log does not.
final class ExcludedDrives {
    private static final Duration AVOIDED = Duration.ofSeconds(2);

    private record Place(int group, int slot, String drive) {}

    private final NanoClock clock;
    private final Map<Place, Long> until = new HashMap<>();
    private volatile boolean some; // asked for every slot, and there are hardly ever any

    ExcludedDrives(NanoClock clock) {
        this.clock = clock;
    }

    /// @param after the state in which the learners named are no members any more
    synchronized void add(List<SlotDrive> learners, ClusterState after) {
        long end = clock.nanos() + AVOIDED.toNanos();
        for (var one : learners) {
            boolean off = after.replication()
                    .table(one.group())
                    .filter(table -> table.row(one.slot()).member(one.drive()).isEmpty())
                    .isPresent();
            if (off) {
                until.put(new Place(one.group(), one.slot(), one.drive()), end);
                some = true;
            }
        }
    }

    /// These drives were full and have room again: they are not chosen where another drive has begun to learn.
    ///
    /// @param full drives that still are
    synchronized void keepLearners(Set<String> drives, Replication now, Predicate<String> full) {
        for (var group : now.groups().values()) {
            keepLearners(drives, now, full, group);
        }
        some = !until.isEmpty();
    }

    private void keepLearners(Set<String> drives, Replication now, Predicate<String> full, Group group) {
        var table = now.table(group.id()).orElseThrow();
        for (int slot = 0; slot < table.size(); slot++) {
            var row = table.row(slot);
            if (row.members().size() == row.inSync().size()) {
                continue;
            }
            for (var drive : drives) {
                if (row.member(drive).isEmpty() && hasLearner(row, drive, now, full)) {
                    until.putIfAbsent(new Place(group.id(), slot, drive), clock.nanos());
                }
            }
        }
    }

    /// Whether another drive learns for the slot and can finish.
    private static boolean hasLearner(SlotRow row, String drive, Replication now, Predicate<String> full) {
        return row.members().stream()
                .anyMatch(member -> !member.inSync()
                        && !member.drive().equals(drive)
                        && now.usable(member.drive())
                        && !full.test(member.drive()));
    }

    boolean avoids(int group, int slot, String drive) {
        return some && avoids(new Place(group, slot, drive));
    }

    private synchronized boolean avoids(Place place) {
        return until.containsKey(place);
    }

    /// Whether some drive may be chosen again since the last call.
    ///
    /// @param full drives that are full now
    synchronized boolean expired(Replication now, Predicate<String> full) {
        long time = clock.nanos();
        boolean removed =
                until.entrySet().removeIf(entry -> entry.getValue() <= time && !isLearned(entry.getKey(), now, full));
        some = !until.isEmpty();
        return removed;
    }

    private static boolean isLearned(Place place, Replication now, Predicate<String> full) {
        return now.table(place.group())
                .filter(table -> hasLearner(table.row(place.slot()), place.drive(), now, full))
                .isPresent();
    }
}
