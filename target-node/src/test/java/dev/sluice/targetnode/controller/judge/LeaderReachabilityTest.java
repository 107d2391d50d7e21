package dev.sluice.targetnode.controller.judge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.name.NodeId;
import dev.sluice.targetnode.controller.log.LogServer;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// ONE leads; each controller is on a target.
class LeaderReachabilityTest {
    private static final NodeId ONE = new NodeId("target001");
    private static final NodeId TWO = new NodeId("target002");
    private static final NodeId THREE = new NodeId("target003");
    private static final Duration STEP = Duration.ofMillis(100);

    private final FakeClock clock = new FakeClock();
    private final LeaderReachability reachability = new LeaderReachability(clock);

    private void says(NodeId controller, Set<NodeId> missed) {
        var lapsed = new TreeMap<NodeId, Long>();
        missed.forEach(target -> lapsed.put(target, 1L));
        var seat = new LogServer(
                Optional.empty(),
                Optional.empty(),
                LogServer.Holding.SOME,
                Optional.of(ONE),
                1,
                controller.equals(ONE));
        reachability.heard(new ControllerStatus(controller, 1, seat, 1, lapsed, new TreeMap<>()));
    }

    /// For so long each says again and again whom it misses; nobody is missed for a second after each 800 ms, since the
    /// others trust it.
    private void say(Duration time, Map<NodeId, Set<NodeId>> missed) {
        for (long past = 0; past < time.toMillis(); past += STEP.toMillis()) {
            boolean trusted = past % 1900 >= 800;
            missed.forEach((controller, targets) -> says(controller, trusted ? Set.of() : targets));
            clock.passes(STEP.toMillis());
        }
    }

    @Test
    void controllerThatHearsAllIsBetterThanALeaderThatMissesOne() {
        say(Duration.ofSeconds(1), Map.of(ONE, Set.of(TWO), TWO, Set.of(ONE), THREE, Set.of()));
        assertThat(reachability.better(ONE)).as("it may be a pause").isEmpty();
        say(Duration.ofSeconds(4), Map.of(ONE, Set.of(TWO), TWO, Set.of(ONE), THREE, Set.of()));
        assertThat(reachability.better(ONE)).contains(THREE);
    }

    @Test
    void leaderStaysWhenNobodyHearsMore() {
        say(Duration.ofSeconds(5), Map.of(ONE, Set.of(TWO), TWO, Set.of(ONE), THREE, Set.of(TWO)));
        assertThat(reachability.better(ONE)).isEmpty();
    }

    @Test
    void controllerThatSaysNothingIsNotBetter() {
        say(Duration.ofSeconds(1), Map.of(TWO, Set.of(), THREE, Set.of()));
        say(Duration.ofSeconds(5), Map.of(ONE, Set.of(TWO)));
        assertThat(reachability.better(ONE)).isEmpty();
    }

    @Test
    void whatWasMissedLongAgoDoesNotCount() {
        say(Duration.ofSeconds(4), Map.of(ONE, Set.of(TWO), TWO, Set.of(), THREE, Set.of()));
        assertThat(reachability.better(ONE)).isPresent();
        say(Duration.ofSeconds(6), Map.of(ONE, Set.of(), TWO, Set.of(), THREE, Set.of()));
        assertThat(reachability.better(ONE)).isEmpty();
    }
}
