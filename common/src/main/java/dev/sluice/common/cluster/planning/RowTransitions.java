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
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;

/// What an entry does to one row, with the targets and drives as the draft has them. The rules are those of the
/// protocol's model; each can change the row given or return it. There are plain loops here: each row of a target that
/// is gone waits for them.
final class RowTransitions {
    private final PlanningFacts facts;
    private final Map<String, NextState.Place> places;
    private final DesiredReplicas goals;
    private final Supplier<DesiredReplicas> goalsOfAll;
    private Optional<DesiredReplicas> madeOfAll = Optional.empty();
    private final Set<String> full = new HashSet<>();
    private final Set<UnreachablePair> cut;
    private final NextRow next = new NextRow(this::usable);
    private final Set<String> forgotten;

    /// The targets and drives of the draft are not changed after this.
    RowTransitions(NextState draft, PlanningFacts facts) {
        this.facts = facts;
        this.places = draft.places();
        this.goals = draft.goals(this::usable);
        this.goalsOfAll = () -> draft.goals(
                drive -> !Objects.requireNonNull(draft.drives().get(drive)).out());
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

    /// The goal, and of a coded group what it would be if all targets were up: the place of a drive in that one is the
    /// position that it has rather than another.
    Wanted wanted(Group group, int slot, List<Member> members) {
        var ofAll = group.coded()
                ? goalsOfAll().of(group.firstHash(slot), group.replicas(), _ -> false)
                : List.<String>of();
        return new Wanted(goal(group, slot, members), ofAll);
    }

    private DesiredReplicas goalsOfAll() {
        var made = madeOfAll.orElseGet(goalsOfAll);
        madeOfAll = Optional.of(made);
        return made;
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

    Member member(String drive, boolean inSync, long since, int position) {
        return new Member(drive, inSync, place(drive).incarnation(), since, position);
    }

    /// Learners that cannot or need not be there leave, and missing ones are added. Nothing is added while an in-sync
    /// member is to go that another one will ask for: until then no write is acknowledged, and then it is added.
    SlotRow fill(Group group, SlotRow row, Wanted wanted) {
        var kept = new ArrayList<Member>(row.members().size() + 1);
        for (var member : row.members()) {
            if (member.inSync() || usable(member.drive())) {
                kept.add(member);
            }
        }
        return isAwaited(row) ? next.of(group, row, kept, false) : filled(group, row, kept, wanted);
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
    ///
    /// Nobody leaves a coded slot, unless those that have just answered who asks, itself too, have enough
    /// positions. That they are *up* in the log is old.
    SlotRow expel(Group group, SlotRow row, Wanted wanted, String asking, Map<String, Integer> answered) {
        Predicate<Member> sure = member -> isSure(member, answered);
        if (group.coded()
                && !(Positions.isEnough(group, row, sure)
                        && row.member(asking).filter(sure).isPresent())) {
            return fill(group, row, wanted);
        }
        var kept = new ArrayList<Member>(row.members().size() + 1);
        for (var member : row.members()) {
            if (usable(member.drive())) {
                kept.add(member);
            }
        }
        for (var left = Positions.surplus(group, kept, sure, wanted.goal(), asking);
                left.isPresent();
                left = Positions.surplus(group, kept, sure, wanted.goal(), asking)) {
            kept.remove(left.get());
        }
        return filled(group, row, kept, wanted);
    }

    /// Whether a member that has answered who asks is still the same, and can be used.
    private boolean isSure(Member member, Map<String, Integer> answered) {
        var incarnation = answered.get(member.drive());
        return member.inSync() && usable(member.drive()) && incarnation != null && incarnation == member.incarnation();
    }

    private SlotRow filled(Group group, SlotRow row, List<Member> kept, Wanted wanted) {
        var goal = wanted.goal();
        kept.removeIf(member -> !member.inSync() && !goal.contains(member.drive()));
        int inSync = Positions.inSync(kept);
        int most = Math.max(group.replicas() - group.count(kept), 1);
        for (var drive : goal) {
            if (kept.size() - inSync < most && !hasTargetOf(kept, drive)) {
                newPosition(group, kept, wanted, drive)
                        .ifPresent(position -> kept.add(member(drive, false, row.epoch() + 1, position)));
            }
        }
        return next.of(group, row, kept, false);
    }

    /// Of a new learner; empty when there is no vacancy.
    private Optional<Integer> newPosition(Group group, List<Member> kept, Wanted wanted, String drive) {
        return group.coded()
                ? Positions.vacancy(
                        group,
                        kept,
                        member -> usable(member.drive()),
                        member -> placeOf(wanted.goal(), member.drive()) >= 0,
                        placeOf(wanted.ofAll(), drive))
                : Optional.of(0);
    }

    /// The place of a drive of the same target; -1 for none.
    private int placeOf(List<String> drives, String drive) {
        var target = place(drive).target();
        for (int at = 0; at < drives.size(); at++) {
            if (place(drives.get(at)).target().equals(target)) {
                return at;
            }
        }
        return -1;
    }

    private boolean hasTargetOf(List<Member> members, String drive) {
        return placeOf(members.stream().map(Member::drive).toList(), drive) >= 0;
    }

    /// A target has registered with these drives: their member stays what it is under the new incarnation. One that
    /// is not sound becomes a learner when the other in-sync ones make every object. A sound in-sync one stays,
    /// behind the others when one of them may hold a lease; and the primary fences again.
    SlotRow registered(Group group, SlotRow row, Set<String> drives, Set<String> unsynced, Set<String> unsound) {
        for (int at = 0; at < row.members().size(); at++) {
            var member = row.members().get(at);
            if (!drives.contains(member.drive())) {
                continue;
            }
            var others = new ArrayList<>(row.members());
            others.remove(at);
            int inSync = Positions.inSync(others);
            boolean mayLack = (group.durability() == Durability.OS && unsynced.contains(member.drive()))
                    || unsound.contains(member.drive());
            boolean learner = !member.inSync() || (mayLack && enoughStay(group, others));
            int place = learner ? others.size() : oneIsLeased(others) ? inSync : at;
            others.add(place, member(member.drive(), !learner, row.epoch() + 1, member.position()));
            var back = next.of(group, row, others, !learner);
            return unsound.contains(member.drive()) ? withNewUploads(back, member.drive()) : back;
        }
        return row;
    }

    /// Whether in-sync members that are there, or may be again, make every object.
    private boolean enoughStay(Group group, List<Member> members) {
        return group.count(members, member -> !forgotten.contains(member.drive())) >= group.data();
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
    SlotRow promoted(Group group, SlotRow row, Member learner) {
        var members = new ArrayList<>(row.members());
        members.remove(learner);
        members.add(Positions.inSync(row.members()), learner.with(true, learner.incarnation(), row.epoch() + 1));
        return next.of(group, row, members, false);
    }

    /// The primary does not hear the target that has this member. An in-sync one stays in a coded slot if those that
    /// have just answered the primary's target, the primary too, have too few positions without it.
    SlotRow cutOff(Group group, SlotRow row, NodeId target, Map<String, Integer> answered) {
        Predicate<Member> away = member -> place(member.drive()).target().equals(target);
        Predicate<Member> sure = away.negate().and(member -> isSure(member, answered));
        boolean enough = !group.coded() || (Positions.isEnough(group, row, sure) && sure.test(row.primary()));
        var members = new ArrayList<>(row.members());
        members.removeIf(away.and(member -> enough || !member.inSync()));
        return next.of(group, row, members, false);
    }

    /// What was forgotten leaves, the fence list too: no process of it is there any more. The primary begins again.
    ///
    /// @param heir in-sync from now on where nobody else is
    SlotRow withoutForgotten(Group group, SlotRow row, Optional<String> heir) {
        var members = new ArrayList<>(row.members());
        members.removeIf(member -> forgotten.contains(member.drive()));
        if (SlotRow.firstInSync(members).isEmpty()) {
            if (heir.filter(this::usable).isEmpty()) {
                return row;
            }
            var target = place(heir.get()).target();
            members.removeIf(member -> place(member.drive()).target().equals(target));
            members.addFirst(member(heir.get(), true, row.epoch() + 1, positionOf(group, row, members, heir.get())));
        }
        return NextRow.vouched(next.of(group, row, members, true), forgotten);
    }

    /// Its own if it is a member, else the first that no other one has.
    private static int positionOf(Group group, SlotRow row, List<Member> others, String heir) {
        return row.member(heir)
                .map(Member::position)
                .or(() -> group.coded() ? Positions.vacancy(group, others, _ -> true, _ -> true, -1) : Optional.empty())
                .orElse(0);
    }

    SlotRow without(Group group, SlotRow row, Member learner) {
        var members = new ArrayList<>(row.members());
        members.remove(learner);
        return next.of(group, row, members, false);
    }
}
