package dev.sluice.targetnode.replica;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.slots.Group;
import dev.sluice.common.cluster.slots.Replication;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.common.placement.Slot;
import dev.sluice.targetnode.replica.core.Event;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/// What a newer state says to the drives of this target: the rows that changed, of slots they have or had a part in.
final class RowChanges {
    private static final int AT_ONCE = 256;

    private final Optional<Replication> before;
    private final Replication now;
    private final long version;
    private final Map<String, DriveReplicas> loops;
    private final Set<String> usableBefore;
    private final Set<String> usable;
    private final StandIns standIns;
    private final Map<String, List<Told>> told = new HashMap<>();

    RowChanges(Optional<ClusterState> before, ClusterState state, Map<String, DriveReplicas> loops, StandIns standIns) {
        this.standIns = standIns;
        this.before = before.map(ClusterState::replication);
        this.now = state.replication();
        this.version = state.version();
        this.loops = new HashMap<>(loops);
        this.usableBefore = this.before.map(RowChanges::usable).orElse(Set.of());
        this.usable = usable(now);
    }

    private static Set<String> usable(Replication replication) {
        return replication.drives().entries().keySet().stream()
                .filter(replication::usable)
                .collect(Collectors.toSet());
    }

    /// Each loop counts its promises of leases for this state once it has seen all of it.
    ///
    /// @param learnersToo also rows that did not change, of learners
    void post(IntFunction<GroupSlots> slots, boolean learnersToo) {
        now.groups().values().forEach(group -> post(group, slots.apply(group.id()), learnersToo));
        loops.values().forEach(loop -> loop.run(() -> loop.lease().applied(version)));
    }

    private void post(Group group, GroupSlots slots, boolean learnersToo) {
        var table = now.table(group.id()).orElseThrow();
        var tableBefore = before.flatMap(known -> known.table(group.id()));
        boolean sameUsable = usable.equals(usableBefore);
        if (!learnersToo
                && sameUsable
                && tableBefore.filter(known -> known == table).isPresent()) {
            return;
        }
        for (int slot = 0; slot < Slot.COUNT; slot++) {
            var row = table.row(slot);
            int number = slot;
            var rowBefore = tableBefore.map(known -> known.row(number));
            boolean same = rowBefore.filter(known -> known == row).isPresent();
            boolean surplus = isSurplus(row, group, usable);
            boolean learns = learnersToo && row.members().stream().anyMatch(member -> !member.inSync());
            if (!same || learns || (!sameUsable && surplus != isSurplus(row, group, usableBefore))) {
                tell(group, slot, rowBefore, row, surplus);
            }
        }
        post(group, slots);
    }

    /// While the members are the same, the rest of a row is the primary's; but any in-sync one may have to ask that
    /// others go.
    private static Set<String> concerned(Optional<SlotRow> rowBefore, SlotRow row) {
        if (rowBefore
                .filter(known -> known != row && known.epoch() == row.epoch())
                .isPresent()) {
            return Set.of(row.primary().drive());
        }
        var concerned = new HashSet<String>();
        row.members().forEach(member -> concerned.add(member.drive()));
        rowBefore.ifPresent(known -> known.members().forEach(member -> concerned.add(member.drive())));
        return concerned;
    }

    private static boolean isSurplus(SlotRow row, Group group, Set<String> usable) {
        int inSync = 0;
        for (var member : row.members()) {
            if (member.inSync()) {
                inSync++;
                if (!usable.contains(member.drive())) {
                    return true;
                }
            }
        }
        return inSync > group.replicas();
    }

    /// A row for one drive of this target.
    private record Told(int slot, SlotRow row, boolean surplus, boolean standIn) {}

    private void tell(Group group, int slot, Optional<SlotRow> rowBefore, SlotRow row, boolean surplus) {
        for (var drive : concerned(rowBefore, row)) {
            if (loops.containsKey(drive)) {
                boolean learns =
                        row.member(drive).filter(member -> !member.inSync()).isPresent();
                boolean standIn = learns && standIns.isStandIn(group, slot, drive);
                told.computeIfAbsent(drive, _ -> new ArrayList<>()).add(new Told(slot, row, surplus, standIn));
            }
        }
    }

    /// In pieces, so that what else waits for a loop comes in between.
    private void post(Group group, GroupSlots slots) {
        told.forEach((drive, rows) -> {
            var loop = loops.get(drive);
            for (int from = 0; from < rows.size(); from += AT_ONCE) {
                var piece = rows.subList(from, Math.min(rows.size(), from + AT_ONCE));
                loop.run(() -> piece.forEach(each -> apply(loop, group, each, slots)));
            }
        });
        told.clear();
    }

    private static void apply(DriveReplicas loop, Group group, Told told, GroupSlots slots) {
        var holder = loop.holder(group.id(), told.slot);
        holder.standIn(told.standIn);
        loop.handle(holder, new Event.RowApplied(told.row, told.surplus));
        if (told.row.primary().drive().equals(loop.id())) {
            slots.is(holder);
        } else {
            slots.isNot(holder);
        }
    }
}
