package dev.sluice.targetnode.controller.judge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.Leadership;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.cluster.planning.Planner;
import dev.sluice.common.name.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/// The cases that the protocol's model breaks by its flags `no_stop`, `w_flap` and `w_ctl`, and the plain ones.
class LeasesTest {
    private static final NodeId SELF = new NodeId("target000");
    private static final NodeId TARGET = new NodeId("target001");
    private static final NodeId OTHER = new NodeId("target002");

    private final FakeClock clock = new FakeClock();
    private ClusterState state = registered();
    private Leases leases = booted(1);

    private static ClusterState registered() {
        var state = Planner.next(
                ClusterState.create("c", new TreeSet<>(List.of(TARGET)), new TreeMap<>()),
                new Command.Join(new Node(TARGET, Role.TARGET, "http://h:1", "", 1)));
        return Planner.next(state, register(0));
    }

    private static Command.Register register(int ifIncarnation) {
        return new Command.Register(
                TARGET,
                "nonce" + ifIncarnation,
                ifIncarnation,
                "boot",
                List.of(new Command.RegisteredDrive("d", 1, true)));
    }

    /// A life of the controller whose number is in the log and whose first 1.1 s are over.
    private Leases booted(int boot) {
        var life = life(boot);
        state = Planner.next(state, new Command.ControllerBoot(SELF, boot));
        life.follow(state);
        clock.passes(1100);
        return life;
    }

    private Leases life(int boot) {
        var life = new Leases(clock, SELF);
        life.boots(boot);
        return life;
    }

    private void log(Command command) {
        state = Planner.next(state, command);
        leases.follow(state);
    }

    private void down() {
        log(new Command.Down(TARGET, entryVersion(), new TreeMap<>(Map.of(SELF, 1))));
    }

    private long entryVersion() {
        return state.replication().target(TARGET).orElseThrow().version();
    }

    private boolean promised(int incarnation) {
        return leases.beat(TARGET, incarnation, Leadership.UNKNOWN).promised();
    }

    @Test
    void targetThatBeatsIsNeverReportedAndKnowsTheVersion() {
        for (int beat = 0; beat < 20; beat++) {
            assertThat(leases.beat(TARGET, 1, Leadership.UNKNOWN).promised()).isTrue();
            assertThat(leases.beat(TARGET, 1, Leadership.UNKNOWN).version()).isEqualTo(state.version());
            clock.passes(1100);
            assertThat(leases.lapsed()).isEmpty();
            assertThat(leases.leased(TARGET)).isTrue();
        }
        clock.passes(1);
        assertThat(leases.leased(TARGET)).isFalse();
        assertThat(leases.lapsed()).isEqualTo(Map.of(TARGET, entryVersion()));
    }

    @Test
    void nextLapseIsKnownBeforehand() {
        var most = Duration.ofSeconds(9);
        assertThat(promised(1)).isTrue();
        var wait = leases.untilNextLapse(most);
        assertThat(wait).isEqualTo(Leases.PROMISE.plusNanos(1));
        assertThat(leases.untilNextLapse(Duration.ofMillis(3))).isEqualTo(Duration.ofMillis(3));
        clock.passes(Leases.PROMISE.toMillis());
        assertThat(leases.lapsed()).isEmpty();
        assertThat(leases.untilNextLapse(most)).isEqualTo(Duration.ofNanos(1));
        clock.passes(1);
        assertThat(leases.untilNextLapse(most)).isZero();
        assertThat(leases.lapsed()).isNotEmpty();
        assertThat(leases.untilNextLapse(most)).as("nobody else").isEqualTo(most);
    }

    @Test
    void onlyTheCurrentIncarnationIsPromisedAnything() {
        assertThat(promised(0)).isFalse();
        assertThat(promised(2)).isFalse();
        log(register(1));
        assertThat(promised(1)).isFalse();
        assertThat(promised(2)).isTrue();
        assertThat(leases.beat(new NodeId("target009"), 1, Leadership.UNKNOWN).promised())
                .isFalse();
    }

    @Test
    void targetThatIsDownIsPromisedNothingAndIsKnownToHaveReturned() {
        assertThat(leases.isDown(TARGET, 1)).isFalse();
        down();
        assertThat(promised(1)).isFalse();
        assertThat(leases.isDown(TARGET, 1)).isTrue();
        assertThat(leases.isDown(TARGET, 0)).as("an earlier process").isFalse();
        log(new Command.Up(TARGET, 1));
        assertThat(promised(1)).isTrue();
    }

    /// `no_stop`: else the target has a lease when the report takes effect.
    @Test
    void reportedTargetIsPromisedNothingUntilALaterEntryAboutIt() {
        clock.passes(1101);
        assertThat(leases.lapsed()).containsKey(TARGET);
        assertThat(promised(1)).isFalse();
        state = Planner.next(state, new Command.ControllerBoot(new NodeId("target009"), 1));
        leases.follow(state);
        assertThat(promised(1)).as("an entry about something else").isFalse();
        assertThat(leases.lapsed()).as("it is reported again").containsKey(TARGET);
        log(new Command.Trust(TARGET, entryVersion()));
        assertThat(promised(1)).isTrue();
    }

    /// `w_flap`: else it goes down, up, down... by its old promises.
    @Test
    void targetHasOneWholePromiseAfterEachEntryAboutIt() {
        for (var entry : List.of("up", "trust", "registration")) {
            clock.passes(5000);
            leases.lapsed();
            switch (entry) {
                case "up" -> {
                    down();
                    log(new Command.Up(TARGET, 1));
                }
                case "trust" -> log(new Command.Trust(TARGET, entryVersion()));
                default -> log(register(1));
            }
            clock.passes(1100);
            assertThat(leases.lapsed()).as(entry).isEmpty();
            clock.passes(1);
            assertThat(leases.lapsed()).as(entry).containsKey(TARGET);
        }
    }

    /// `w_ctl`: a life before may have promised a moment ago, and its report may still be on its way.
    @Test
    void restartedControllerWaitsForItsBootNumberInTheLogAndForAWholePromise() {
        leases = life(2);
        leases.follow(state);
        clock.passes(5000);
        assertThat(promised(1)).as("its boot number is not in the log").isFalse();
        assertThat(leases.lapsed()).isEmpty();
        log(new Command.ControllerBoot(SELF, 2));
        assertThat(promised(1)).isTrue();

        leases = life(3);
        log(new Command.ControllerBoot(SELF, 3));
        clock.passes(1099);
        assertThat(promised(1)).as("less than a promise since its start").isFalse();
        assertThat(leases.lapsed()).isEmpty();
        assertThat(leases.leased(TARGET)).isFalse();
        clock.passes(1);
        assertThat(promised(1)).isTrue();
    }

    /// Until then a target could not be promised anything: it has had no chance to beat.
    @Test
    void restartedControllerReportsNobodyForAWholePromiseAfterItBegins() {
        leases = life(2);
        log(new Command.ControllerBoot(SELF, 2));
        clock.passes(2200);
        assertThat(leases.lapsed()).isEmpty();
        assertThat(leases.untilNextLapse(Duration.ofSeconds(9))).isEqualTo(Duration.ofNanos(1));
        assertThat(promised(1)).isTrue();
        clock.passes(1100);
        assertThat(leases.lapsed()).isEmpty();
    }

    /// It hears of a leader long after its start: who beat to it in vain is not judged by that.
    @Test
    void controllerWhoseBootNumberIsLoggedLateReportsNobodyForAWholePromise() {
        leases = life(2);
        leases.follow(state);
        clock.passes(9000);
        assertThat(promised(1)).isFalse();
        log(new Command.ControllerBoot(SELF, 2));
        clock.passes(1100);
        assertThat(leases.lapsed()).isEmpty();
        clock.passes(1);
        assertThat(leases.lapsed()).containsKey(TARGET);
        assertThat(leases.reported()).isEqualTo(Map.of(TARGET, entryVersion()));
    }

    @Test
    void restartedControllerReportsWhoHasNotBeatenByThen() {
        leases = life(2);
        log(new Command.ControllerBoot(SELF, 2));
        clock.passes(2201);
        assertThat(leases.lapsed()).containsKey(TARGET);
    }

    /// Beats of that time may not have been read yet. Nobody gets a longer lease by it.
    @Test
    void controllerThatStoodStillReportsSoMuchLater() {
        clock.passes(1100);
        assertThat(promised(1)).isTrue();
        clock.passes(5000);
        leases.stoodStill(Duration.ofMillis(4900));
        assertThat(leases.leased(TARGET)).isFalse();
        clock.passes(1000);
        assertThat(leases.lapsed()).isEmpty();
        assertThat(leases.untilNextLapse(Duration.ofSeconds(9))).isEqualTo(Duration.ofNanos(1));
        clock.passes(1);
        assertThat(leases.lapsed()).containsKey(TARGET);
    }

    @Test
    void targetThatBeatsAfterAStandstillHasOnePromiseAsBefore() {
        clock.passes(1100);
        leases.stoodStill(Duration.ofSeconds(9));
        leases.stoodStill(Duration.ofMillis(-50));
        assertThat(promised(1)).isTrue();
        clock.passes(1101);
        assertThat(leases.lapsed()).containsKey(TARGET);
    }

    /// A leader that is late all the time must not wait for the dead for ever: what it reads from others shows that
    /// nothing lies unread.
    @Test
    void standstillCountsNoMoreWhenAnotherTargetWasHeardTwiceSince() {
        clock.passes(1100);
        assertThat(promised(1)).isTrue();
        for (int i = 0; i < 11; i++) {
            clock.passes(100);
            leases.stoodStill(Duration.ofMillis(80));
            leases.beat(OTHER, 1, Leadership.UNKNOWN);
        }
        clock.passes(1);
        assertThat(leases.lapsed()).as("the last looks still count").isEmpty();
        clock.passes(3 * 80);
        assertThat(leases.lapsed()).containsKey(TARGET);
    }

    /// Its beats come by no connection.
    @Test
    void beatsOfTheTargetOfThisProcessDoNotShowThatOthersWereRead() {
        clock.passes(1100);
        assertThat(promised(1)).isTrue();
        for (int i = 0; i < 11; i++) {
            clock.passes(100);
            leases.stoodStill(Duration.ofMillis(80));
            leases.beat(SELF, 1, Leadership.UNKNOWN);
        }
        clock.passes(3 * 80 + 1);
        assertThat(leases.lapsed()).isEmpty();
        clock.passes(8 * 80);
        assertThat(leases.lapsed()).containsKey(TARGET);
    }

    @Test
    void oneBeatOfAnotherTargetMayHaveBeenReadBeforeTheStandstill() {
        clock.passes(1100);
        assertThat(promised(1)).isTrue();
        clock.passes(900);
        leases.beat(OTHER, 1, Leadership.UNKNOWN);
        clock.passes(150);
        leases.stoodStill(Duration.ofMillis(500));
        clock.passes(50);
        leases.beat(OTHER, 1, Leadership.UNKNOWN);
        clock.passes(1);
        assertThat(leases.lapsed()).isEmpty();
        clock.passes(200);
        leases.beat(OTHER, 1, Leadership.UNKNOWN);
        assertThat(leases.lapsed()).containsKey(TARGET);
    }
}
