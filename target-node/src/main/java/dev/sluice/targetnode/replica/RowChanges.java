package dev.sluice.targetnode.replica;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.slots.Group;
import dev.sluice.common.cluster.slots.Replication;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.common.placement.Slot;
import dev.sluice.targetnode.replica.core.Event;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What a newer state says to the drives of this target: the rows that changed, of slots they have or had a part in.
final class RowChanges {
    private static final Logger LOG = LoggerFactory.getLogger(RowChanges.class);
    private static final int AT_ONCE = 256;

    private final Optional<Replication> before;
    private final Replication now;
    private final long version;
    private final Map<String, DriveReplicas> loops;
    private final Set<String> usableBefore;
    private final Set<String> usable;
    private final StandIns standIns;
    private final Proposer proposer;
    private final List<Command.SlotDrive> surpluses = new ArrayList<>();
    private final Map<String, List<Told>> told = new HashMap<>();

    RowChanges(
            Optional<ClusterState> before,
            ClusterState state,
            Map<String, DriveReplicas> loops,
            StandIns standIns,
            Proposer proposer) {
        this.proposer = proposer;
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
        var known = before.flatMap(replication -> replication.table(group.id()));
        boolean isNew = known.isEmpty();
        var tableBefore = known.orElse(table);
        boolean sameUsable = usable.equals(usableBefore);
        if (!isNew && !learnersToo && sameUsable && tableBefore == table) {
            return;
        }
        for (int slot = 0; slot < Slot.COUNT; slot++) {
            var row = table.row(slot);
            var rowBefore = tableBefore.row(slot);
            boolean same = !isNew && row == rowBefore;
            if (same && sameUsable && !learnersToo) {
                continue;
            }
            boolean surplus = isSurplus(row, group, usable);
            if (!same) {
                tell(group, slot, isNew ? row : rowBefore, row, surplus);
            } else if ((learnersToo && hasLearner(row)) || surplus != isSurplus(row, group, usableBefore)) {
                tellMembers(group, slot, row, surplus);
            }
        }
        ask(group);
        post(group, slots);
    }

    private static boolean hasLearner(SlotRow row) {
        for (var member : row.members()) {
            if (!member.inSync()) {
                return true;
            }
        }
        return false;
    }

    /// While the members are the same, the rest of a row is the primary's.
    private void tell(Group group, int slot, SlotRow rowBefore, SlotRow row, boolean surplus) {
        if (rowBefore != row && rowBefore.epoch() == row.epoch()) {
            tell(group, slot, row, surplus, row.primary().drive());
            return;
        }
        tellMembers(group, slot, row, surplus);
        for (var former : rowBefore.members()) {
            if (row.member(former.drive()).isEmpty()) {
                tell(group, slot, row, surplus, former.drive());
            }
        }
    }

    private void tellMembers(Group group, int slot, SlotRow row, boolean surplus) {
        for (var member : row.members()) {
            tell(group, slot, row, surplus, member.drive());
        }
    }

    private void tell(Group group, int slot, SlotRow row, boolean surplus, String drive) {
        var loop = loops.get(drive);
        if (loop == null) {
            return;
        }
        var me = row.member(drive);
        boolean standIn = me.isPresent() && !me.get().inSync() && standIns.isStandIn(group, slot, drive);
        told.computeIfAbsent(drive, _ -> new ArrayList<>()).add(new Told(slot, row, surplus, standIn));
        if (surplus && me.isPresent() && me.get().inSync() && me.get().incarnation() == loop.incarnation()) {
            surpluses.add(new Command.SlotDrive(group.id(), slot, row.epoch(), drive, loop.incarnation()));
        }
    }

    /// All slots together, before the loops see them: a slot whose primary is down is not served until this is logged.
    /// The cores ask again, one by one, when it got lost.
    private void ask(Group group) {
        var asking = surpluses.stream()
                .filter(one -> Optional.ofNullable(loops.get(one.drive()))
                        .filter(DriveReplicas::leased)
                        .isPresent())
                .toList();
        if (!asking.isEmpty()) {
            LOG.info("{} slots of group {} have lost a replica", asking.size(), group.id());
            proposer.add(new Command.Expel(asking));
        }
        surpluses.clear();
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
        holder.beingTold(true); // what it would ask for now was asked for already
        loop.handle(holder, new Event.RowApplied(told.row, told.surplus));
        holder.beingTold(false);
        if (told.row.primary().drive().equals(loop.id())) {
            slots.is(holder);
        } else {
            slots.isNot(holder);
        }
    }
}
