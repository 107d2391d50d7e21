package dev.sluice.common.cluster.slots;

import dev.sluice.common.cluster.Durability;
import dev.sluice.common.name.NodeId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// What an entry does to one row, with the targets and drives as the draft has them. The rules are those of the
/// protocol's model; each can change the row given or return it.
final class RowRules {
    private final Draft draft;
    private final Leader leader;
    private final Goals goals;

    RowRules(Draft draft, Leader leader) {
        this.draft = draft;
        this.leader = leader;
        this.goals = draft.goals();
    }

    /// Members of a new slot: what placement wants.
    List<String> goal(Group group, int slot) {
        return goals.of(slot, group.replicas(), drive -> leader.avoids(group.id(), slot, drive));
    }

    /// Learners that cannot or need not be there leave, and missing ones are added.
    SlotRow fill(Group group, int slot, SlotRow row) {
        var kept = new ArrayList<>(row.members());
        kept.removeIf(member -> !member.inSync() && !draft.usable(member.drive()));
        return filled(group, row, kept, goal(group, slot));
    }

    /// A living in-sync member asks: in-sync members that cannot be used leave, and those that are more than the goal.
    /// The one that asks stays. One outside the goal removes none that is in it.
    SlotRow expel(Group group, int slot, SlotRow row, String asking) {
        var goal = goal(group, slot);
        var kept = new ArrayList<>(row.members());
        kept.removeIf(member -> !draft.usable(member.drive()));
        var inSync = kept.stream().filter(Member::inSync).toList();
        for (int more = inSync.size() - group.replicas(); more > 0; more--) {
            var surplus = surplus(kept, goal, asking);
            if (surplus.isEmpty()) {
                break;
            }
            kept.remove(surplus.get());
        }
        return filled(group, row, kept, goal);
    }

    private static Optional<Member> surplus(List<Member> members, List<String> goal, String asking) {
        var others = members.stream()
                .filter(Member::inSync)
                .filter(member -> !member.drive().equals(asking))
                .toList()
                .reversed();
        var misplaced =
                others.stream().filter(member -> !goal.contains(member.drive())).findFirst();
        return misplaced.isPresent() || !goal.contains(asking)
                ? misplaced
                : others.stream().findFirst();
    }

    private SlotRow filled(Group group, SlotRow row, List<Member> kept, List<String> goal) {
        kept.removeIf(member -> !member.inSync() && !goal.contains(member.drive()));
        long inSync = kept.stream().filter(Member::inSync).count();
        long most = Math.max(group.replicas() - inSync, 1);
        var targets = new HashSet<NodeId>();
        kept.forEach(member -> targets.add(draft.where(member.drive())));
        for (var drive : goal) {
            if (kept.size() - inSync < most && targets.add(draft.where(drive))) {
                kept.add(new Member(drive, false, draft.incarnation(drive), row.epoch() + 1));
            }
        }
        return change(row, kept, false);
    }

    /// A target has registered: its member stays what it is under the new incarnation. One that is not sound becomes a
    /// learner when another member is in-sync. A sound in-sync one stays, behind the others when one of them
    /// may hold a lease; and the primary fences again.
    SlotRow registered(
            Group group, SlotRow row, NodeId target, int incarnation, boolean rebooted, Set<String> unsound) {
        for (int at = 0; at < row.members().size(); at++) {
            var member = row.members().get(at);
            if (!draft.where(member.drive()).equals(target)) {
                continue;
            }
            var others = new ArrayList<>(row.members());
            others.remove(at);
            var inSync = others.stream().filter(Member::inSync).toList();
            boolean mayLack = (rebooted && group.durability() == Durability.OS) || unsound.contains(member.drive());
            boolean learner = !member.inSync() || (!inSync.isEmpty() && mayLack);
            boolean leased = inSync.stream().anyMatch(other -> leader.leased(draft.where(other.drive())));
            int place = learner ? others.size() : leased ? inSync.size() : at;
            others.add(place, new Member(member.drive(), !learner, incarnation, row.epoch() + 1));
            return change(row, others, !learner);
        }
        return row;
    }

    /// The learner has everything: it is the last in-sync member now.
    SlotRow promoted(SlotRow row, Member learner) {
        var members = new ArrayList<>(row.members());
        members.remove(learner);
        members.add(row.inSync().size(), new Member(learner.drive(), true, learner.incarnation(), row.epoch() + 1));
        return change(row, members, false);
    }

    SlotRow without(SlotRow row, Member learner) {
        var members = new ArrayList<>(row.members());
        members.remove(learner);
        return change(row, members, false);
    }

    /// Nobody has to ask these drives any more: their process of before is known to have ended, or to have lost them.
    SlotRow vouched(SlotRow row, Set<String> gone) {
        if (row.fence().stream().noneMatch(gone::contains)) {
            return row;
        }
        var fence = row.fence().stream().filter(drive -> !gone.contains(drive)).toList();
        return new SlotRow(row.epoch(), row.members(), row.primarySince(), fence, row.opened());
    }

    /// The next epoch. The primary is the same only if drive and incarnation are. Else, and when it fences again, those
    /// go on the fence list who may still think that an older epoch counts.
    private SlotRow change(SlotRow row, List<Member> members, boolean fencesAgain) {
        if (members.equals(row.members())) {
            return row;
        }
        var before = row.primary();
        long epoch = row.epoch() + 1;
        var now = members.stream().filter(Member::inSync).findFirst().orElseThrow();
        boolean same = !fencesAgain && before.drive().equals(now.drive()) && before.incarnation() == now.incarnation();
        var fence = new TreeSet<String>();
        if (!same || !row.opened()) {
            row.inSync().stream().map(Member::drive).filter(draft::usable).forEach(fence::add);
            if (!row.opened()) {
                fence.addAll(row.fence());
            }
        }
        return new SlotRow(epoch, members, same ? row.primarySince() : epoch, List.copyOf(fence), same && row.opened());
    }
}
