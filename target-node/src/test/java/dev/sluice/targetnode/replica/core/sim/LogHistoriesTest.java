package dev.sluice.targetnode.replica.core.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.targetnode.controller.judge.Reachability;
import dev.sluice.targetnode.replica.core.HistoryOf;
import dev.sluice.targetnode.replica.core.Proposal;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// For a rule of the log each: entries after which breaking it loses writes or has two primaries.
final class LogHistoriesTest {
    private static final LogPlanner.Leader LEADER = new LogPlanner.Leader() {
        @Override
        public boolean leased(String drive, LogState state) {
            return state.isUp(LogState.where(drive));
        }

        @Override
        public Reachability reachability() {
            return new Reachability(() -> 0);
        }

        @Override
        public int id() {
            return 0;
        }

        @Override
        public boolean avoids(int slot, String drive) {
            return false;
        }

        @Override
        public boolean wasCutOff(int slot) {
            return false;
        }
    };

    private final LogState first = new LogState();

    private LogHistoriesTest() {
        first.lastIncarnation = 2;
        for (int i = 0; i < 2; i++) {
            var target = "t" + i;
            first.incarnation.put(target, i + 1);
            first.up.put(target, true);
            first.bootIds.put(target, "boot");
            first.entry.put(target, 1);
            first.drives.put(target + ".d0", target);
        }
    }

    private void members(int goal, String... drives) {
        first.goal = goal;
        var members = Stream.of(drives).map(this::member).toList();
        first.slots.put(0, new SlotRow(1, members, 1, 1, List.of(), true));
    }

    private Member member(String drive) {
        return new Member(drive, true, Known.of(first.incarnation, LogState.where(drive)), 1);
    }

    /// An entry that changes nothing is refused.
    private static LogState after(LogState state, Entry entry, Set<String> broken) {
        return LogPlanner.plan(state, entry, LEADER, broken).next().orElse(state);
    }

    private static List<String> inSync(LogState state) {
        return state.row(0).inSync().stream().map(Member::drive).toList();
    }

    /// With one replica a slot moves. The new drive loses its index between its proposal and the entry.
    @Test
    @HistoryOf("w_promote_trims")
    void soundReplicaGoesWhenAPromotionAlsoRemoves() {
        first.goal = 1;
        var wanted = RowPlanner.goal(first, 0, _ -> true).getFirst();
        var former = wanted.equals("t0.d0") ? "t1.d0" : "t0.d0";
        members(1, former);
        assertThat(inSyncAfterAPromotionTooLate(wanted, Set.of())).containsExactly(former);
        assertThat(inSyncAfterAPromotionTooLate(wanted, Set.of("w_promote_trims")))
                .as("the drive without data only")
                .containsExactly(wanted);
    }

    private List<String> inSyncAfterAPromotionTooLate(String wanted, Set<String> broken) {
        var target = LogState.where(wanted);
        int incarnation = Known.of(first.incarnation, target);
        var learning = after(first, new Entry.Fill(), broken);
        var promoted = new Entry.OfSlot(0, new Proposal.Promote(2, wanted, incarnation));
        var lost = new Entry.Register(target, "again", incarnation, Set.of(wanted), "boot", Set.of(wanted), Set.of());
        return inSync(after(after(learning, promoted, broken), lost, broken));
    }

    /// Controllers 0 and 1 report that the promise to t0 lapsed. Controller 0 restarts, and promises t0 again; so does
    /// controller 2: t0 has a lease. Then the entry about the reports comes.
    @Test
    @HistoryOf("w_ctl")
    void leasedPrimaryIsNotFencedWhenTheReportOfAFormerLifeCounts() {
        members(2, "t0.d0", "t1.d0");
        assertThat(askedByT1AfterAnOldReport(Set.of())).contains("t0.d0");
        assertThat(askedByT1AfterAnOldReport(Set.of("w_ctl"))).doesNotContain("t0.d0");
    }

    private Set<String> askedByT1AfterAnOldReport(Set<String> broken) {
        var restarted = after(first, new Entry.Boot(0, 1), broken);
        var down = after(restarted, new Entry.Down("t0", 1, Map.of(0, 0, 1, 0)), broken);
        var expel = new Entry.OfSlot(0, new Proposal.Expel(down.row(0).epoch(), "t1.d0", 2));
        var row = after(down, expel, broken).row(0);
        return Stream.concat(row.inSync().stream().map(Member::drive), row.fence().stream())
                .collect(Collectors.toSet());
    }
}
