package dev.sluice.targetnode.controller.judge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.cluster.planning.Planner;
import dev.sluice.common.cluster.planning.PlanningFacts;
import dev.sluice.common.cluster.planning.ReachabilityView;
import dev.sluice.common.cluster.planning.UnreachablePair;
import dev.sluice.common.name.NodeId;
import dev.sluice.targetnode.controller.log.LogServer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/// Three controllers, of which one leads and logs what a majority says.
class ReportsTest {
    private static final NodeId ONE = new NodeId("target001");
    private static final NodeId TWO = new NodeId("target002");
    private static final NodeId THREE = new NodeId("target003");
    private static final NodeId TARGET = new NodeId("target009");

    private final FakeClock clock = new FakeClock();
    private final Reports reports = new Reports(clock, 3);
    private ClusterState state = registered();

    private static ClusterState registered() {
        var state = Planner.next(
                ClusterState.create("c", new TreeSet<>(List.of(TARGET)), new TreeMap<>()),
                new Command.Join(new Node(TARGET, Role.TARGET, "http://h:1", "", 1)),
                new Command.Register(TARGET, "nonce", 0, "boot", List.of(new Command.RegisteredDrive("d", 1, true))));
        for (var controller : List.of(ONE, TWO, THREE)) {
            state = Planner.next(state, new Command.ControllerBoot(controller, 1));
        }
        return state;
    }

    private static final class NobodyIsHeard implements PlanningFacts, ReachabilityView {
        @Override
        public ReachabilityView reachability() {
            return this;
        }

        @Override
        public boolean leased(NodeId target) {
            return false;
        }

        @Override
        public boolean avoids(int group, int slot, String drive) {
            return false;
        }

        @Override
        public boolean isFull(String drive) {
            return false;
        }

        @Override
        public Set<UnreachablePair> pairs() {
            return Set.of();
        }

        @Override
        public boolean isHeardByFew(NodeId target) {
            return true;
        }

        @Override
        public boolean hasJustBeaten(NodeId target, int incarnation, long beat) {
            return false;
        }

        @Override
        public boolean wasCutOff(int group, int slot) {
            return false;
        }
    }

    private long version() {
        return state.replication().target(TARGET).orElseThrow().version();
    }

    private void lapsed(NodeId controller, int boot, long version) {
        says(controller, boot, Map.of(TARGET, version), Map.of());
    }

    private void says(NodeId controller, int boot, Map<NodeId, Long> lapsed, Map<NodeId, Integer> returned) {
        var seat = new LogServer(
                Optional.empty(),
                Optional.empty(),
                LogServer.Holding.SOME,
                Optional.of(ONE),
                1,
                controller.equals(ONE));
        reports.heard(new ControllerStatus(controller, 1, seat, boot, new TreeMap<>(lapsed), new TreeMap<>(returned)));
    }

    private List<Command> due() {
        return reports.due(state.replication());
    }

    @Test
    void targetIsDownWhenAMajoritySaysSo() {
        lapsed(ONE, 1, version());
        assertThat(due()).isEmpty();
        lapsed(TWO, 1, version());
        assertThat(due()).containsExactly(new Command.Down(TARGET, version(), new TreeMap<>(Map.of(ONE, 1, TWO, 1))));
    }

    @Test
    void reportOfAFormerLifeOrOfAnEarlierEntryDoesNotCount() {
        lapsed(ONE, 1, version());
        lapsed(TWO, 0, version());
        assertThat(due()).as("its boot number is not logged").isEmpty();
        lapsed(TWO, 1, version() - 1);
        assertThat(due()).as("of an earlier entry").isEmpty();
        lapsed(TWO, 1, version());
        state = Planner.next(state, new Command.ControllerBoot(TWO, 2));
        assertThat(due()).as("of a former life").isEmpty();
    }

    @Test
    void whatWasSaidASecondAgoDoesNotCount() {
        lapsed(ONE, 1, version());
        clock.passes(1001);
        lapsed(TWO, 1, version());
        assertThat(due()).isEmpty();
    }

    @Test
    void doubtOfAMinorityEnds() {
        lapsed(TWO, 1, version());
        assertThat(due()).isEmpty();
        clock.passes(800);
        lapsed(TWO, 1, version());
        assertThat(due()).isEmpty();
        clock.passes(1);
        assertThat(due()).containsExactly(new Command.Trust(TARGET, version()));
        says(TWO, 1, Map.of(), Map.of());
        assertThat(due()).isEmpty();
        lapsed(TWO, 1, version());
        assertThat(due()).as("a new doubt").isEmpty();
    }

    /// Nobody promises it anything any more.
    @Test
    void doubtOfAMutedTargetLasts() {
        state = Planner.next(state, new Command.Mute(TARGET, version(), new TreeSet<>()), new NobodyIsHeard());
        assertThat(state.replication().muted()).containsExactly(TARGET);
        lapsed(TWO, 1, version());
        assertThat(due()).isEmpty();
        clock.passes(900);
        lapsed(TWO, 1, version());
        assertThat(due()).isEmpty();
        lapsed(ONE, 1, version());
        assertThat(due()).containsExactly(new Command.Down(TARGET, version(), new TreeMap<>(Map.of(ONE, 1, TWO, 1))));
    }

    @Test
    void targetIsUpAgainWhenAMajorityHearsIt() {
        state = Planner.next(state, new Command.Down(TARGET, version(), new TreeMap<>(Map.of(ONE, 1, TWO, 1))));
        says(ONE, 1, Map.of(), Map.of(TARGET, 1));
        assertThat(due()).isEmpty();
        says(TWO, 1, Map.of(), Map.of(TARGET, 7));
        assertThat(due()).as("another process").isEmpty();
        says(TWO, 1, Map.of(), Map.of(TARGET, 1));
        assertThat(due()).containsExactly(new Command.Up(TARGET, 1));
        state = Planner.next(state, new Command.Up(TARGET, 1));
        assertThat(due()).isEmpty();
    }
}
