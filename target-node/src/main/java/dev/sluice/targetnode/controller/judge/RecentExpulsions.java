package dev.sluice.targetnode.controller.judge;

import dev.sluice.common.cluster.Command.CutOff;
import dev.sluice.common.cluster.Command.SlotDrive;
import dev.sluice.common.cluster.slots.Replication;
import dev.sluice.common.time.NanoClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Slots that lost a member because the primary did not hear it. Within 5 s a slot loses no other one: a primary that
/// hears less and less would stay alone.
final class RecentExpulsions {
    private static final Duration ONE_IN = Duration.ofSeconds(5);

    private record Place(int group, int slot) {}

    private final NanoClock clock;
    private final Map<Place, Long> until = new HashMap<>();

    RecentExpulsions(NanoClock clock) {
        this.clock = clock;
    }

    /// @param before the state in which it was asked for
    /// @param after the state after the entry
    /// @return the members that left
    synchronized List<SlotDrive> add(CutOff command, Replication before, Replication after) {
        long now = clock.nanos();
        until.values().removeIf(end -> end <= now);
        var left = new ArrayList<SlotDrive>();
        for (var one : command.primaries()) {
            var table = before.table(one.group());
            if (table.isEmpty() || one.slot() < 0 || one.slot() >= table.get().size()) {
                continue; // it had no effect
            }
            var was = table.get().row(one.slot());
            var is = after.table(one.group()).orElseThrow().row(one.slot());
            for (var member : was.members()) {
                boolean others = before.drives()
                        .find(member.drive())
                        .filter(entry -> entry.target().equals(command.other()))
                        .isPresent();
                if (others && is.member(member.drive()).isEmpty()) {
                    until.put(new Place(one.group(), one.slot()), now + ONE_IN.toNanos());
                    left.add(new SlotDrive(one.group(), one.slot(), was.epoch(), member.drive(), member.incarnation()));
                }
            }
        }
        return left;
    }

    synchronized boolean has(int group, int slot) {
        return until.getOrDefault(new Place(group, slot), Long.MIN_VALUE) > clock.nanos();
    }
}
