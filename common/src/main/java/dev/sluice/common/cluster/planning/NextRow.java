package dev.sluice.common.cluster.planning;

import dev.sluice.common.cluster.slots.Group;
import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.SlotRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/// A row after its members have changed: whether the primary begins anew, and whom it has to ask.
final class NextRow {
    private final Predicate<String> usable;

    /// @param usable whether a drive can be used
    NextRow(Predicate<String> usable) {
        this.usable = usable;
    }

    /// Nobody has to ask these drives any more: their process of before is known to have ended, or to have lost them.
    static SlotRow vouched(SlotRow row, Set<String> gone) {
        var fence = new ArrayList<>(row.fence());
        return fence.removeIf(gone::contains)
                ? new SlotRow(row.epoch(), row.members(), row.primarySince(), row.driveSince(), fence, row.opened())
                : row;
    }

    /// The next epoch. The primary is the same only if drive and incarnation are. Else, and when it fences again, those
    /// go on the fence list who may still think that an older epoch counts.
    SlotRow of(Group group, SlotRow row, List<Member> members, boolean fencesAgain) {
        Positions.sort(group, members, 1);
        if (members.equals(row.members())) {
            return row;
        }
        var before = row.primary();
        long epoch = row.epoch() + 1;
        var now = SlotRow.firstInSync(members).orElseThrow();
        boolean same = !fencesAgain && before.drive().equals(now.drive()) && before.incarnation() == now.incarnation();
        var fence = same && row.opened() ? List.<String>of() : fence(row);
        return new SlotRow(
                epoch,
                members,
                same ? row.primarySince() : epoch,
                before.drive().equals(now.drive()) ? row.driveSince() : epoch,
                fence,
                same && row.opened());
    }

    private List<String> fence(SlotRow row) {
        var fence = new TreeSet<String>();
        for (var member : row.members()) {
            if (member.inSync() && usable.test(member.drive())) {
                fence.add(member.drive());
            }
        }
        if (!row.opened()) {
            fence.addAll(row.fence());
        }
        return List.copyOf(fence);
    }
}
