package dev.sluice.common.cluster.planning;

import dev.sluice.common.cluster.slots.Durability;
import dev.sluice.common.cluster.slots.Group;
import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.common.name.NodeId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// What an entry does to one row, with the targets and drives as the draft has them. The rules are those of the
/// protocol's model; each can change the row given or return it. There are plain loops here: each row of a target that
/// is gone waits for them.
final class RowTransitions {
    private final PlanningFacts facts;
    private final Map<String, NextState.Place> places;
    private final DesiredReplicas goals;
    private final Set<String> full = new HashSet<>();
    private final Set<UnreachablePair> cut;
    private final Set<String> forgotten;

    /// The targets and drives of the draft are not changed after this.
    RowTransitions(NextState draft, PlanningFacts facts) {
        this.facts = facts;
        this.places = draft.places();
        this.goals = draft.goals(this::usable);
        this.cut = facts.reachability().pairs();
        this.forgotten = Set.copyOf(draft.forgotten());
        for (var drive : places.keySet()) {
            if (facts.isFull(drive)) {
                full.add(drive);
            }
        }
    }

    /// What placement wants for a slot with these members. A full drive is wanted only where it is a member: it keeps
    /// its roles and gets no new one. One that the primary's target does not hear is not wanted.
    List<String> goal(Group group, int slot, List<Member> members) {
        return goals.of(
                group.firstHash(slot),
                group.replicas(),
                drive -> facts.avoids(group.id(), slot, drive)
                        || (full.contains(drive) && !has(members, drive))
                        || (!cut.isEmpty() && isCutFrom(members, drive)));
    }

    private boolean isCutFrom(List<Member> members, String drive) {
        var primary = place(SlotRow.firstInSync(members).orElseThrow().drive()).target();
        return cut.contains(UnreachablePair.of(primary, place(drive).target()));
    }

    private static boolean has(List<Member> members, String drive) {
        for (var member : members) {
            if (member.drive().equals(drive)) {
                return true;
            }
        }
        return false;
    }

    private NextState.Place place(String drive) {
        var place = places.get(drive);
        if (place == null) {
            throw new IllegalStateException("drive " + drive + " is a member, and in no registration");
        }
        return place;
    }

    /// Whether the drive's target is up, and the drive not out.
    boolean usable(String drive) {
        var place = places.get(drive);
        return place != null && place.usable();
    }

    Member member(String drive, boolean inSync, long since) {
        return new Member(drive, inSync, place(drive).incarnation(), since);
    }

    /// Learners that cannot or need not be there leave, and missing ones are added. Nothing is added while an in-sync
    /// member is to go that another one will ask for: until then no write is acknowledged, and then it is added.
    SlotRow fill(Group group, SlotRow row, List<String> goal) {
        var kept = new ArrayList<Member>(row.members().size() + 1);
        for (var member : row.members()) {
            if (member.inSync() || usable(member.drive())) {
                kept.add(member);
            }
        }
        return isAwaited(row) ? change(row, kept, false) : filled(group, row, kept, goal);
    }

    private boolean isAwaited(SlotRow row) {
        int inSync = 0;
        int usable = 0;
        for (var member : row.members()) {
            if (member.inSync()) {
                inSync++;
                usable += usable(member.drive()) ? 1 : 0;
            }
        }
        return usable > 0 && usable < inSync;
    }

    /// A living in-sync member asks: in-sync members that cannot be used leave, and those that are more than the goal.
    /// The one that asks stays. One outside the goal removes none that is in it.
    SlotRow expel(Group group, SlotRow row, List<String> goal, String asking) {
        var kept = new ArrayList<Member>(row.members().size() + 1);
        for (var member : row.members()) {
            if (usable(member.drive())) {
                kept.add(member);
            }
        }
        for (int more = inSync(kept) - group.replicas(); more > 0; more--) {
            var surplus = surplus(kept, goal, asking);
            if (surplus.isEmpty()) {
                break;
            }
            kept.remove(surplus.get());
        }
        return filled(group, row, kept, goal);
    }

    private static Optional<Member> surplus(List<Member> members, List<String> goal, String asking) {
        var last = Optional.<Member>empty();
        for (var member : members.reversed()) {
            if (member.inSync() && !member.drive().equals(asking)) {
                if (!goal.contains(member.drive())) {
                    return Optional.of(member);
                }
                last = last.isPresent() ? last : Optional.of(member);
            }
        }
        return goal.contains(asking) ? last : Optional.empty();
    }

    private static int inSync(List<Member> members) {
        int count = 0;
        for (var member : members) {
            count += member.inSync() ? 1 : 0;
        }
        return count;
    }

    private SlotRow filled(Group group, SlotRow row, List<Member> kept, List<String> goal) {
        kept.removeIf(member -> !member.inSync() && !goal.contains(member.drive()));
        int inSync = inSync(kept);
        int most = Math.max(group.replicas() - inSync, 1);
        for (var drive : goal) {
            if (kept.size() - inSync < most && !hasTargetOf(kept, drive)) {
                kept.add(member(drive, false, row.epoch() + 1));
            }
        }
        return change(row, kept, false);
    }

    private boolean hasTargetOf(List<Member> members, String drive) {
        var target = place(drive).target();
        for (var member : members) {
            if (place(member.drive()).target().equals(target)) {
                return true;
            }
        }
        return false;
    }

    /// A target has registered with these drives: their member stays what it is under the new incarnation. One that
    /// is not sound becomes a learner when another member is in-sync. A sound in-sync one stays, behind the others
    /// when one of them may hold a lease; and the primary fences again.
    SlotRow registered(Group group, SlotRow row, Set<String> drives, Set<String> unsynced, Set<String> unsound) {
        for (int at = 0; at < row.members().size(); at++) {
            var member = row.members().get(at);
            if (!drives.contains(member.drive())) {
                continue;
            }
            var others = new ArrayList<>(row.members());
            others.remove(at);
            int inSync = inSync(others);
            boolean mayLack = (group.durability() == Durability.OS && unsynced.contains(member.drive()))
                    || unsound.contains(member.drive());
            boolean learner = !member.inSync() || (oneStays(others) && mayLack);
            int place = learner ? others.size() : oneIsLeased(others) ? inSync : at;
            others.add(place, member(member.drive(), !learner, row.epoch() + 1));
            var next = change(row, others, !learner);
            return unsound.contains(member.drive()) ? withNewUploads(next, member.drive()) : next;
        }
        return row;
    }

    /// Whether an in-sync member may be there again, or is.
    private boolean oneStays(List<Member> members) {
        for (var member : members) {
            if (member.inSync() && !forgotten.contains(member.drive())) {
                return true;
            }
        }
        return false;
    }

    /// The index of the drive was made anew: it may lack the end of an upload.
    private static SlotRow withNewUploads(SlotRow row, String drive) {
        return row.primary().drive().equals(drive)
                ? new SlotRow(row.epoch(), row.members(), row.primarySince(), row.epoch(), row.fence(), row.opened())
                : row;
    }

    private boolean oneIsLeased(List<Member> members) {
        for (var member : members) {
            if (member.inSync() && facts.leased(place(member.drive()).target())) {
                return true;
            }
        }
        return false;
    }

    /// The learner has everything: it is the last in-sync member now.
    SlotRow promoted(SlotRow row, Member learner) {
        var members = new ArrayList<>(row.members());
        members.remove(learner);
        members.add(inSync(row.members()), new Member(learner.drive(), true, learner.incarnation(), row.epoch() + 1));
        return change(row, members, false);
    }

    /// The primary does not hear the target that has this member.
    SlotRow cutOff(SlotRow row, NodeId target) {
        var members = new ArrayList<>(row.members());
        members.removeIf(member -> place(member.drive()).target().equals(target));
        return change(row, members, false);
    }

    /// What was forgotten leaves, the fence list too: no process of it is there any more. The primary begins again.
    ///
    /// @param heir in-sync from now on where nobody else is
    SlotRow withoutForgotten(SlotRow row, Optional<String> heir) {
        var members = new ArrayList<>(row.members());
        members.removeIf(member -> forgotten.contains(member.drive()));
        if (SlotRow.firstInSync(members).isEmpty()) {
            if (heir.filter(this::usable).isEmpty()) {
                return row;
            }
            var target = place(heir.get()).target();
            members.removeIf(member -> place(member.drive()).target().equals(target));
            members.addFirst(member(heir.get(), true, row.epoch() + 1));
        }
        return vouched(change(row, members, true), forgotten);
    }

    SlotRow without(SlotRow row, Member learner) {
        var members = new ArrayList<>(row.members());
        members.remove(learner);
        return change(row, members, false);
    }

    /// Nobody has to ask these drives any more: their process of before is known to have ended, or to have lost them.
    SlotRow vouched(SlotRow row, Set<String> gone) {
        var fence = new ArrayList<>(row.fence());
        return fence.removeIf(gone::contains)
                ? new SlotRow(row.epoch(), row.members(), row.primarySince(), row.driveSince(), fence, row.opened())
                : row;
    }

    /// The next epoch. The primary is the same only if drive and incarnation are. Else, and when it fences again, those
    /// go on the fence list who may still think that an older epoch counts.
    private SlotRow change(SlotRow row, List<Member> members, boolean fencesAgain) {
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
            if (member.inSync() && usable(member.drive())) {
                fence.add(member.drive());
            }
        }
        if (!row.opened()) {
            fence.addAll(row.fence());
        }
        return List.copyOf(fence);
    }
}
