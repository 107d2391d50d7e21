package dev.sluice.targetnode.replica.core.sim;

import static dev.sluice.targetnode.replica.core.sim.LogState.where;

import dev.sluice.common.cluster.planning.UnreachablePair;
import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.SlotRow;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.zip.CRC32;

/// The rows of a state that is being planned.
final class RowPlanner {
    private final LogState next;
    private final LogPlanner.Leader leader;
    private final Set<String> broken;
    private final Set<String> takenOff = new HashSet<>();

    RowPlanner(LogState next, LogPlanner.Leader leader, Set<String> broken) {
        this.next = next;
        this.leader = leader;
        this.broken = broken;
    }

    static List<String> goal(LogState state, int slot, Predicate<String> good) {
        var goal = new ArrayList<String>();
        var targets = new HashSet<String>();
        state.drives.keySet().stream()
                .filter(good)
                .sorted(Comparator.comparingLong((String drive) -> rank(drive, slot))
                        .thenComparing(Comparator.naturalOrder()))
                .filter(drive -> targets.add(where(drive)))
                .limit(state.goal)
                .forEach(goal::add);
        return goal;
    }

    private static long rank(String drive, int slot) {
        var sum = new CRC32();
        sum.update((drive + "/" + slot).getBytes(StandardCharsets.US_ASCII));
        return sum.getValue();
    }

    void avoid(int slot, String drive) {
        takenOff.add(slot + "/" + drive);
    }

    void put(int slot, SlotRow row) {
        next.slots.put(slot, row);
    }

    void fill() {
        fill(-1, Optional.empty());
    }

    /// Missing members are replaced by learners at once; a better-ranked drive becomes a learner; surplus
    /// learners leave.
    ///
    /// @param asked the slot of which a living in-sync member asks that others leave; -1: none
    /// @param asking the drive that asks: it stays
    void fill(int asked, Optional<String> asking) {
        for (int slot : List.copyOf(next.slots.keySet())) {
            var row = next.row(slot);
            var kept = new ArrayList<>(row.members());
            kept.removeIf(member -> !member.inSync() && !next.usable(member.drive()));
            boolean someLive = row.inSync().stream().anyMatch(member -> next.usable(member.drive()));
            if (slot == asked || (broken.contains("w_down") && someLive)) {
                kept.removeIf(member -> !next.usable(member.drive()));
            }
            var primary = where(row.primary().drive());
            var goal = goal(
                    next,
                    slot,
                    drive -> next.usable(drive)
                            && !next.draining.contains(where(drive))
                            && !leader.avoids(slot, drive)
                            && !takenOff.contains(slot + "/" + drive)
                            && (broken.contains("x_repick") || !isCut(primary, where(drive))));
            if (slot == asked || broken.contains("w_trim")) {
                trim(kept, goal, asking);
            }
            kept.removeIf(member -> !member.inSync() && !goal.contains(member.drive()));
            long inSync = kept.stream().filter(Member::inSync).count();
            for (var drive : goal) {
                if (kept.size() - inSync < Math.max(next.goal - inSync, 1)
                        && kept.stream()
                                .noneMatch(member -> where(member.drive()).equals(where(drive)))) {
                    kept.add(new Member(drive, false, next.incarnationOf(drive), row.epoch() + 1));
                }
            }
            change(slot, kept, false);
        }
    }

    private boolean isCut(String one, String other) {
        return leader.reachability()
                .pairs()
                .contains(UnreachablePair.of(ProductionPlanner.node(one), ProductionPlanner.node(other)));
    }

    private void trim(List<Member> kept, List<String> goal, Optional<String> asking) {
        while (true) {
            var inSync = kept.stream().filter(Member::inSync).toList();
            if (inSync.size() <= next.goal) {
                return;
            }
            var may = inSync.stream()
                    .filter(member -> !Optional.of(member.drive()).equals(asking))
                    .toList()
                    .reversed();
            var misplaced = may.stream()
                    .filter(member -> !goal.contains(member.drive()))
                    .findFirst();
            if (misplaced.isEmpty()
                    && asking.filter(drive -> !goal.contains(drive)).isPresent()) {
                return;
            }
            kept.remove(misplaced.orElseGet(may::getFirst));
        }
    }

    /// The next epoch of a slot. The fence list: who may still think that an older epoch counts.
    void change(int slot, List<Member> members, boolean fencesAgain) {
        var row = next.row(slot);
        if (members.equals(row.members())) {
            return;
        }
        var before = row.primary();
        var now = members.stream().filter(Member::inSync).findFirst().orElseThrow();
        long epoch = row.epoch() + 1;
        boolean same = !fencesAgain && before.drive().equals(now.drive()) && before.incarnation() == now.incarnation();
        var fence = new TreeSet<String>();
        row.inSync().stream().map(Member::drive).filter(next::usable).forEach(fence::add);
        if (!broken.contains("w_fence")) {
            if (same && row.opened()) {
                fence.clear();
            } else if (!row.opened()) {
                fence.addAll(row.fence());
            }
        }
        boolean alone = broken.contains("opened_any")
                && members.stream().filter(Member::inSync).count() == 1;
        boolean opened = alone || (same && row.opened());
        put(
                slot,
                new SlotRow(
                        epoch,
                        members,
                        same ? row.primarySince() : epoch,
                        before.drive().equals(now.drive()) ? row.driveSince() : epoch,
                        List.copyOf(fence),
                        opened));
    }

    /// The former process of these drives serves no more, by `Down`, a newer registration, or the drive being out.
    void vouch(Predicate<String> gone) {
        for (int slot : List.copyOf(next.slots.keySet())) {
            var row = next.row(slot);
            var fence = row.fence().stream().filter(gone.negate()).toList();
            put(
                    slot,
                    new SlotRow(row.epoch(), row.members(), row.primarySince(), row.driveSince(), fence, row.opened()));
        }
    }
}
