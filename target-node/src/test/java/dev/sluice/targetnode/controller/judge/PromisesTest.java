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
class PromisesTest {
    private static final NodeId SELF = new NodeId("target000");
    private static final NodeId TARGET = new NodeId("target001");
    private static final NodeId OTHER = new NodeId("target002");

    private final FakeClock clock = new FakeClock();
    private ClusterState state = registered();
    private Promises promises = booted(1);

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
    private Promises booted(int boot) {
        var life = life(boot);
        state = Planner.next(state, new Command.ControllerBoot(SELF, boot));
        life.follow(state);
        clock.passes(1100);
        return life;
    }

    private Promises life(int boot) {
        var life = new Promises(clock, SELF);
        life.boots(boot);
        return life;
    }

    private void log(Command command) {
        state = Planner.next(state, command);
        promises.follow(state);
    }

    private void down() {
        log(new Command.Down(TARGET, entryVersion(), new TreeMap<>(Map.of(SELF, 1))));
    }

    private long entryVersion() {
        return state.replication().target(TARGET).orElseThrow().version();
    }

    private boolean promised(int incarnation) {
        return promises.beat(TARGET, incarnation, Leadership.UNKNOWN).promised();
    }

    @Test
    void targetThatBeatsIsNeverReportedAndKnowsTheVersion() {
        for (int beat = 0; beat < 20; beat++) {
            assertThat(promises.beat(TARGET, 1, Leadership.UNKNOWN).promised()).isTrue();
            assertThat(promises.beat(TARGET, 1, Leadership.UNKNOWN).version()).isEqualTo(state.version());
            clock.passes(1100);
            assertThat(promises.lapsed()).isEmpty();
            assertThat(promises.leased(TARGET)).isTrue();
        }
        clock.passes(1);
        assertThat(promises.leased(TARGET)).isFalse();
        assertThat(promises.lapsed()).isEqualTo(Map.of(TARGET, entryVersion()));
    }

    @Test
    void nextLapseIsKnownBeforehand() {
        var most = Duration.ofSeconds(9);
        assertThat(promised(1)).isTrue();
        var wait = promises.untilNextLapse(most);
        assertThat(wait).isEqualTo(Promises.PROMISE.plusNanos(1));
        assertThat(promises.untilNextLapse(Duration.ofMillis(3))).isEqualTo(Duration.ofMillis(3));
        clock.passes(Promises.PROMISE.toMillis());
        assertThat(promises.lapsed()).isEmpty();
        assertThat(promises.untilNextLapse(most)).isEqualTo(Duration.ofNanos(1));
        clock.passes(1);
        assertThat(promises.untilNextLapse(most)).isZero();
        assertThat(promises.lapsed()).isNotEmpty();
        assertThat(promises.untilNextLapse(most)).as("nobody else").isEqualTo(most);
    }

    @Test
    void onlyTheCurrentIncarnationIsPromisedAnything() {
        assertThat(promised(0)).isFalse();
        assertThat(promised(2)).isFalse();
        log(register(1));
        assertThat(promised(1)).isFalse();
        assertThat(promised(2)).isTrue();
        assertThat(promises.beat(new NodeId("target009"), 1, Leadership.UNKNOWN).promised())
                .isFalse();
    }

    @Test
    void targetThatIsDownIsPromisedNothingAndIsKnownToHaveReturned() {
        assertThat(promises.isDown(TARGET, 1)).isFalse();
        down();
        assertThat(promised(1)).isFalse();
        assertThat(promises.isDown(TARGET, 1)).isTrue();
        assertThat(promises.isDown(TARGET, 0)).as("an earlier process").isFalse();
        log(new Command.Up(TARGET, 1));
        assertThat(promised(1)).isTrue();
    }

    /// `no_stop`: else the target has a lease when the report takes effect.
    @Test
    void reportedTargetIsPromisedNothingUntilALaterEntryAboutIt() {
        clock.passes(1101);
        assertThat(promises.lapsed()).containsKey(TARGET);
        assertThat(promised(1)).isFalse();
        state = Planner.next(state, new Command.ControllerBoot(new NodeId("target009"), 1));
        promises.follow(state);
        assertThat(promised(1)).as("an entry about something else").isFalse();
        assertThat(promises.lapsed()).as("it is reported again").containsKey(TARGET);
        log(new Command.Trust(TARGET, entryVersion()));
        assertThat(promised(1)).isTrue();
    }

    /// `w_flap`: else it goes down, up, down... by its old promises.
    @Test
    void targetHasOneWholePromiseAfterEachEntryAboutIt() {
        for (var entry : List.of("up", "trust", "registration")) {
            clock.passes(5000);
            promises.lapsed();
            switch (entry) {
                case "up" -> {
                    down();
                    log(new Command.Up(TARGET, 1));
                }
                case "trust" -> log(new Command.Trust(TARGET, entryVersion()));
                default -> log(register(1));
            }
            clock.passes(1100);
            assertThat(promises.lapsed()).as(entry).isEmpty();
            clock.passes(1);
            assertThat(promises.lapsed()).as(entry).containsKey(TARGET);
        }
    }

    /// `w_ctl`: a life before may have promised a moment ago, and its report may still be on its way.
    @Test
    void restartedControllerWaitsForItsBootNumberInTheLogAndForAWholePromise() {
        promises = life(2);
        promises.follow(state);
        clock.passes(5000);
        assertThat(promised(1)).as("its boot number is not in the log").isFalse();
        assertThat(promises.lapsed()).isEmpty();
        log(new Command.ControllerBoot(SELF, 2));
        assertThat(promised(1)).isTrue();

        promises = life(3);
        log(new Command.ControllerBoot(SELF, 3));
        clock.passes(1099);
        assertThat(promised(1)).as("less than a promise since its start").isFalse();
        assertThat(promises.lapsed()).isEmpty();
        assertThat(promises.leased(TARGET)).isFalse();
        clock.passes(1);
        assertThat(promised(1)).isTrue();
    }

    /// Until then a target could not be promised anything: it has had no chance to beat.
    @Test
    void restartedControllerReportsNobodyForAWholePromiseAfterItBegins() {
        promises = life(2);
        log(new Command.ControllerBoot(SELF, 2));
        clock.passes(2200);
        assertThat(promises.lapsed()).isEmpty();
        assertThat(promises.untilNextLapse(Duration.ofSeconds(9))).isEqualTo(Duration.ofNanos(1));
        assertThat(promised(1)).isTrue();
        clock.passes(1100);
        assertThat(promises.lapsed()).isEmpty();
    }

    /// It hears of a leader long after its start: who beat to it in vain is not judged by that.
    @Test
    void controllerWhoseBootNumberIsLoggedLateReportsNobodyForAWholePromise() {
        promises = life(2);
        promises.follow(state);
        clock.passes(9000);
        assertThat(promised(1)).isFalse();
        log(new Command.ControllerBoot(SELF, 2));
        clock.passes(1100);
        assertThat(promises.lapsed()).isEmpty();
        clock.passes(1);
        assertThat(promises.lapsed()).containsKey(TARGET);
        assertThat(promises.reported()).isEqualTo(Map.of(TARGET, entryVersion()));
    }

    @Test
    void restartedControllerReportsWhoHasNotBeatenByThen() {
        promises = life(2);
        log(new Command.ControllerBoot(SELF, 2));
        clock.passes(2201);
        assertThat(promises.lapsed()).containsKey(TARGET);
    }

    /// Beats of that time may not have been read yet. Nobody gets a longer lease by it.
    @Test
    void controllerThatStoodStillReportsSoMuchLater() {
        clock.passes(1100);
        assertThat(promised(1)).isTrue();
        clock.passes(5000);
        promises.stoodStill(Duration.ofMillis(4900));
        assertThat(promises.leased(TARGET)).isFalse();
        clock.passes(1000);
        assertThat(promises.lapsed()).isEmpty();
        assertThat(promises.untilNextLapse(Duration.ofSeconds(9))).isEqualTo(Duration.ofNanos(1));
        clock.passes(1);
        assertThat(promises.lapsed()).containsKey(TARGET);
    }

    @Test
    void targetThatBeatsAfterAStandstillHasOnePromiseAsBefore() {
        clock.passes(1100);
        promises.stoodStill(Duration.ofSeconds(9));
        promises.stoodStill(Duration.ofMillis(-50));
        assertThat(promised(1)).isTrue();
        clock.passes(1101);
        assertThat(promises.lapsed()).containsKey(TARGET);
    }

    /// A leader that is late all the time must not wait for the dead for ever: what it reads from others shows that
    /// nothing lies unread.
    @Test
    void standstillCountsNoMoreWhenAnotherTargetWasHeardTwiceSince() {
        clock.passes(1100);
        assertThat(promised(1)).isTrue();
        for (int i = 0; i < 11; i++) {
            clock.passes(100);
            promises.stoodStill(Duration.ofMillis(80));
            promises.beat(OTHER, 1, Leadership.UNKNOWN);
        }
        clock.passes(1);
        assertThat(promises.lapsed()).as("the last looks still count").isEmpty();
        clock.passes(3 * 80);
        assertThat(promises.lapsed()).containsKey(TARGET);
    }

    /// Its beats come by no connection.
    @Test
    void beatsOfTheTargetOfThisProcessDoNotShowThatOthersWereRead() {
        clock.passes(1100);
        assertThat(promised(1)).isTrue();
        for (int i = 0; i < 11; i++) {
            clock.passes(100);
            promises.stoodStill(Duration.ofMillis(80));
            promises.beat(SELF, 1, Leadership.UNKNOWN);
        }
        clock.passes(3 * 80 + 1);
        assertThat(promises.lapsed()).isEmpty();
        clock.passes(8 * 80);
        assertThat(promises.lapsed()).containsKey(TARGET);
    }

    @Test
    void oneBeatOfAnotherTargetMayHaveBeenReadBeforeTheStandstill() {
        clock.passes(1100);
        assertThat(promised(1)).isTrue();
        clock.passes(900);
        promises.beat(OTHER, 1, Leadership.UNKNOWN);
        clock.passes(150);
        promises.stoodStill(Duration.ofMillis(500));
        clock.passes(50);
        promises.beat(OTHER, 1, Leadership.UNKNOWN);
        clock.passes(1);
        assertThat(promises.lapsed()).isEmpty();
        clock.passes(200);
        promises.beat(OTHER, 1, Leadership.UNKNOWN);
        assertThat(promises.lapsed()).containsKey(TARGET);
    }
}
