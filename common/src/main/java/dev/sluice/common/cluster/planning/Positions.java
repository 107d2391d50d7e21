package dev.sluice.common.cluster.planning;

import dev.sluice.common.cluster.slots.Group;
import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.SlotRow;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/// Which slices of its objects the members of a slot have. Where each has whole objects, no positions are compared, and
/// each member counts as one.
final class Positions {
    private Positions() {}

    static int inSync(List<Member> members) {
        int count = 0;
        for (var member : members) {
            count += member.inSync() ? 1 : 0;
        }
        return count;
    }

    /// The in-sync members behind the first: position 0, then parity, then the rest. The next primary has small
    /// objects as a whole then.
    ///
    /// @param from the first place that is ordered
    static void sort(Group group, List<Member> members, int from) {
        if (group.coded()) {
            members.subList(Math.min(from, members.size()), Math.max(from, inSync(members)))
                    .sort(Comparator.comparingInt(member -> rank(group, member.position())));
        }
    }

    private static int rank(Group group, int position) {
        if (position == 0) {
            return 0;
        }
        return position >= group.data() ? 1 : 2;
    }

    /// For a new learner: a position without a usable member, else one that only unwanted members have. Rather its own
    /// than the first one: there is less to be made again.
    ///
    /// @param own the one that its drive would have if all targets were up; negative for none
    static Optional<Integer> vacancy(
            Group group, List<Member> members, Predicate<Member> usable, Predicate<Member> wanted, int own) {
        var lacking = without(group, members, usable);
        var vacant = lacking.isEmpty() ? without(group, members, wanted) : lacking;
        return vacant.contains(own) ? Optional.of(own) : vacant.stream().findFirst();
    }

    /// The positions that no such member has.
    private static List<Integer> without(Group group, List<Member> members, Predicate<Member> such) {
        var positions = new ArrayList<Integer>();
        for (int position = 0; position < group.replicas(); position++) {
            int each = position;
            if (members.stream().noneMatch(member -> member.position() == each && such.test(member))) {
                positions.add(position);
            }
        }
        return positions;
    }

    /// Whether these make every object of the slot; where something was forgotten, as many as all in-sync members do.
    static boolean isEnough(Group group, SlotRow row, Predicate<Member> those) {
        return group.count(row.members(), those) >= Math.min(group.data(), row.positions());
    }

    /// An in-sync member that is more than the goal. The one that asks stays. One outside the goal removes none that is
    /// in it.
    ///
    /// @param usable the members that can be used
    /// @param sure of a coded slot, who has just answered who asks
    static Optional<Member> surplus(
            Group group, List<Member> usable, Predicate<Member> sure, List<String> goal, String asking) {
        if (group.coded()) {
            return shared(group, usable, sure, goal, asking);
        }
        return inSync(usable) > group.replicas() ? surplus(usable, goal, asking) : Optional.empty();
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

    /// One whose position another one has too, which is sure and stays.
    private static Optional<Member> shared(
            Group group, List<Member> usable, Predicate<Member> sure, List<String> goal, String asking) {
        for (int position = 0; position < group.replicas(); position++) {
            int each = position;
            var same = usable.stream()
                    .filter(member -> member.inSync() && member.position() == each)
                    .toList();
            var others = same.stream()
                    .filter(member -> !member.drive().equals(asking))
                    .toList();
            boolean unwanted = others.stream().anyMatch(member -> !goal.contains(member.drive()));
            var leaves = others.reversed().stream()
                    .filter(member -> unwanted ? !goal.contains(member.drive()) : goal.contains(asking))
                    .filter(member -> same.stream().anyMatch(other -> !other.equals(member) && sure.test(other)))
                    .findFirst();
            if (leaves.isPresent()) {
                return leaves;
            }
        }
        return Optional.empty();
    }
}
