package dev.sluice.targetnode.controller;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.Command.SlotDrive;
import dev.sluice.common.time.NanoClock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Drives that refused a write as learners and were taken off a slot. They are not chosen again for it for 2 s. The
/// controller that plans remembers this, the log does not.
final class Refusals {
    private static final Duration AVOIDED = Duration.ofSeconds(2);

    private record Place(int group, int slot, String drive) {}

    private final NanoClock clock;
    private final Map<Place, Long> until = new HashMap<>();
    private volatile boolean some; // asked for every slot, and there are hardly ever any

    Refusals(NanoClock clock) {
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

    boolean avoids(int group, int slot, String drive) {
        return some && avoids(new Place(group, slot, drive));
    }

    private synchronized boolean avoids(Place place) {
        return until.getOrDefault(place, Long.MIN_VALUE) > clock.nanos();
    }

    /// Whether some drive may be chosen again since the last call.
    synchronized boolean expired() {
        long now = clock.nanos();
        boolean removed = until.values().removeIf(end -> end <= now);
        some = !until.isEmpty();
        return removed;
    }
}
