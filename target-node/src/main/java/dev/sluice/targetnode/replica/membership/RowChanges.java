package dev.sluice.targetnode.replica.membership;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.slots.Group;
import dev.sluice.common.cluster.slots.Replication;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.targetnode.replica.core.Event;
import dev.sluice.targetnode.replica.loop.DriveReplicas;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What a newer state says to the drives of this target: the rows that changed, of slots they have or had a part in.
@SuppressWarnings("ReferenceEquality") // a row that did not change is the same object in the next table
final class RowChanges {
    private static final Logger LOG = LoggerFactory.getLogger(RowChanges.class);
    private static final int AT_ONCE = 256;

    private final Optional<Replication> before;
    private final Replication now;
    private final long version;
    private final Map<String, DriveReplicas> loops;
    private final Set<String> usableBefore;
    private final Set<String> usable;
    private final TemporaryLearners learners;
    private final Proposer proposer;
    private final List<Command.SlotDrive> surpluses = new ArrayList<>();
    private boolean wanted;
    private final Map<String, List<Told>> urgent = new HashMap<>();
    private final Map<String, List<Told>> told = new HashMap<>();

    RowChanges(
            Optional<ClusterState> before,
            ClusterState state,
            Map<String, DriveReplicas> loops,
            TemporaryLearners learners,
            Proposer proposer) {
        this.proposer = proposer;
        this.learners = learners;
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
    /// @param again also what the state before said: learners that stood in, members that are to go
    /// @return whether members are to go, so that it is to be asked again when nothing comes of it
    boolean post(Function<Group, GroupSlots> slots, boolean again) {
        for (var group : now.groups().values()) {
            look(group, again);
            ask(group);
            post(group, slots.apply(group));
            if (before.isEmpty()) {
                postToFormerMembers(group, slots.apply(group));
            }
        }
        loops.values().forEach(loop -> loop.run(() -> loop.lease().applied(version)));
        return wanted;
    }

    private void look(Group group, boolean again) {
        var table = now.table(group.id()).orElseThrow();
        var known = before.flatMap(replication -> replication.table(group.id()));
        boolean isNew = known.isEmpty();
        var tableBefore = known.orElse(table);
        boolean sameUsable = usable.equals(usableBefore);
        if (!isNew && !again && sameUsable && tableBefore == table) {
            return;
        }
        for (int slot = 0; slot < group.slots(); slot++) {
            var row = table.row(slot);
            var rowBefore = tableBefore.row(slot);
            boolean same = !isNew && row == rowBefore;
            if (same && sameUsable && !again) {
                continue;
            }
            if (isSurplus(row, group)) {
                wantGone(group, slot, row);
            }
            if (!same) {
                tell(group, slot, isNew ? row : rowBefore, row);
            } else if (again && hasLearner(row)) {
                tellMembers(group, slot, row, false);
            }
        }
    }

    /// A living in-sync member asks that those go that are down or out, or more than the group wants.
    private void wantGone(Group group, int slot, SlotRow row) {
        for (var member : row.members()) {
            var loop = loops.get(member.drive());
            if (member.inSync() && loop != null && loop.incarnation() == member.incarnation()) {
                wanted = true;
                if (loop.leased()) {
                    surpluses.add(
                            new Command.SlotDrive(group.id(), slot, row.epoch(), member.drive(), member.incarnation()));
                }
            }
        }
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
    private void tell(Group group, int slot, SlotRow rowBefore, SlotRow row) {
        var primary = row.primary().drive();
        if (rowBefore != row && rowBefore.epoch() == row.epoch()) {
            tell(group, slot, row, primary, false);
            return;
        }
        tellMembers(group, slot, row, !rowBefore.primary().drive().equals(primary));
        for (var former : rowBefore.members()) {
            if (row.member(former.drive()).isEmpty()) {
                tell(group, slot, row, former.drive(), false);
            }
        }
    }

    /// @param moved whether another drive is the primary now: nobody serves the slot before it knows
    private void tellMembers(Group group, int slot, SlotRow row, boolean moved) {
        for (var member : row.members()) {
            tell(group, slot, row, member.drive(), moved);
        }
    }

    private void tell(Group group, int slot, SlotRow row, String drive, boolean moved) {
        if (!loops.containsKey(drive)) {
            return;
        }
        var me = row.member(drive);
        boolean learns = me.isPresent() && !me.get().inSync();
        boolean standIn = learns && learners.isStandIn(group, slot, drive);
        var first = moved && row.primary().drive().equals(drive);
        (first ? urgent : told)
                .computeIfAbsent(drive, _ -> new ArrayList<>())
                .add(new Told(slot, row, standIn, learns ? losses(group, row) : 0));
    }

    /// How many members more the slot can lose; negative when too many are away already.
    private int losses(Group group, SlotRow row) {
        return group.count(row.members(), member -> usable.contains(member.drive())) - group.data();
    }

    /// For all slots together: one that lost its primary is not served until this is logged.
    private void ask(Group group) {
        if (surpluses.isEmpty()) {
            return;
        }
        LOG.info("group {}: removing a surplus replica from {} slots", group.id(), surpluses.size());
        proposer.expel(group, List.copyOf(surpluses));
        surpluses.clear();
    }

    private boolean isSurplus(SlotRow row, Group group) {
        int inSync = 0;
        for (var member : row.members()) {
            if (member.inSync()) {
                inSync++;
                if (!usable.contains(member.drive())) {
                    return true;
                }
            }
        }
        return inSync > (group.coded() ? row.positions() : group.replicas());
    }

    /// A row for one drive of this target.
    ///
    /// @param losses how many members more the slot can lose; 0 for a drive that does not learn
    private record Told(int slot, SlotRow row, boolean standIn, int losses) {}

    private void post(Group group, GroupSlots slots) {
        urgent.forEach((drive, rows) -> post(group, slots, loop(drive), rows));
        told.forEach((drive, rows) -> post(group, slots, loop(drive), rows));
        urgent.clear();
        told.clear();
    }

    /// Slots of which a drive has a core and is no member: what it was told last is not known.
    private void postToFormerMembers(Group group, GroupSlots slots) {
        var table = now.table(group.id()).orElseThrow();
        loops.values()
                .forEach(loop -> loop.run(() -> loop.replicas(group.id()).stream()
                        .filter(replica ->
                                table.row(replica.slot()).member(loop.id()).isEmpty())
                        .forEach(replica -> apply(
                                loop, group, new Told(replica.slot(), table.row(replica.slot()), false, 0), slots))));
    }

    private DriveReplicas loop(String drive) {
        return Objects.requireNonNull(loops.get(drive));
    }

    /// In pieces, so that what else waits for a loop comes in between.
    private static void post(Group group, GroupSlots slots, DriveReplicas loop, List<Told> rows) {
        for (int from = 0; from < rows.size(); from += AT_ONCE) {
            var piece = rows.subList(from, Math.min(rows.size(), from + AT_ONCE));
            loop.run(() -> piece.forEach(each -> apply(loop, group, each, slots)));
        }
    }

    private static void apply(DriveReplicas loop, Group group, Told told, GroupSlots slots) {
        var replica = loop.replica(group.id(), told.slot);
        replica.standIn(told.standIn);
        replica.losses(told.losses);
        loop.handle(replica, new Event.RowApplied(told.row, false)); // members that are to go were asked for already
        if (told.row.primary().drive().equals(loop.id())) {
            slots.is(replica);
        } else {
            slots.isNot(replica);
        }
    }
}
