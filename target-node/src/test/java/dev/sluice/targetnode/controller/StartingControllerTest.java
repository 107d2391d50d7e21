package dev.sluice.targetnode.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.cluster.BucketProperties;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.ClusterView;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.cluster.Heartbeat;
import dev.sluice.common.cluster.LogEntry;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.cluster.StateUpdate;
import dev.sluice.common.cluster.planning.Planner;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.controller.judge.FakeClock;
import dev.sluice.targetnode.controller.log.Consensus;
import dev.sluice.targetnode.controller.log.LogServer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A controller that begins again, and applies its log once more.
@Timeout(30)
class StartingControllerTest {
    private static final NodeId SELF = new NodeId("target001");
    private static final NodeId LEADER = new NodeId("target002");
    private static final Duration SHORT = Duration.ofMillis(1);

    /// A log whose entries are applied when the test says so. Another controller leads.
    private static final class Replay implements Consensus {
        private volatile ClusterState state;
        private volatile Follower follower = (_, _) -> {};
        private volatile boolean replaced;

        Replay(ClusterState first) {
            state = first;
        }

        void apply(ClusterState next) {
            state = next;
            follower.applied(List.of(), next);
        }

        @Override
        public Optional<ClusterState> snapshot() {
            return Optional.of(state);
        }

        @Override
        public void follow(Follower next) {
            follower = next;
            next.applied(List.of(), state);
        }

        @Override
        public LogServer seat() {
            return new LogServer(
                    Optional.empty(), Optional.empty(), LogServer.Holding.SOME, Optional.of(LEADER), 1, false);
        }

        @Override
        public boolean propose(LogEntry entry) {
            throw new StoreException.NotLeader("another one leads", Optional.of(LEADER.value()));
        }

        @Override
        public boolean isReplaced() {
            return replaced;
        }

        @Override
        public boolean isKeptOn(String drive) {
            return false;
        }
    }

    /// The controller that leads, and has applied everything.
    private static final class Leading implements ControlPlane {
        private final CountDownLatch booted = new CountDownLatch(1);
        private volatile ClusterState state;

        Leading(ClusterState newest) {
            state = newest;
        }

        @Override
        public ClusterView view() {
            return ClusterView.of(state);
        }

        @Override
        public CompletableFuture<ClusterState> watch(long version) {
            return new CompletableFuture<>();
        }

        @Override
        public ClusterState apply(Command command) {
            state = Planner.next(state, command);
            booted.countDown();
            return state;
        }

        @Override
        public ClusterState confirm() {
            return state;
        }
    }

    private Optional<Controller> opened = Optional.empty();

    @AfterEach
    void close() {
        opened.ifPresent(Controller::close);
    }

    private static ClusterState formed() {
        var state = ClusterState.create("c", new TreeSet<>(List.of(SELF)), new TreeMap<>());
        return Planner.next(state, new Command.Join(new Node(SELF, Role.TARGET, "http://127.0.0.1:1", "", 1)));
    }

    /// Between the two a bucket was removed and made again: who acts on the old one drops the new one's objects.
    @Test
    void historyIsNeverShownAsTheNewestState() throws Exception {
        var before = formed();
        var after = Planner.next(before, new Command.CreateBucket("b", 1, BucketProperties.defaults(Optional.empty())));
        var log = new Replay(before);
        var leader = new Leading(after);
        var controller = new Controller(log, new TreeMap<>(), SELF, Set.of(SELF), 3, new FakeClock());
        opened = Optional.of(controller);
        requireSilent(controller);
        controller.start(leader);
        assertThat(leader.booted.await(20, TimeUnit.SECONDS)).isTrue();
        requireSilent(controller);
        log.apply(after);
        requireSilent(controller);
        log.apply(leader.state);
        while (controller.word().boot() == 0) {
            Thread.onSpinWait(); // it is told of its boot number by another thread
        }
        assertThat(controller.newer(-1, SHORT).update()).isEqualTo(new StateUpdate.Snapshot(leader.state));
    }

    /// Its targets may have other roles in the log that goes on.
    @Test
    void controllerOfAReplacedLogPromisesNothing() throws Exception {
        var drive = new Command.RegisteredDrive("d", 1, true);
        var registered = Planner.next(formed(), new Command.Register(SELF, "nonce", 0, "boot", List.of(drive)));
        var log = new Replay(registered);
        var leader = new Leading(registered);
        var clock = new FakeClock();
        var controller = new Controller(log, new TreeMap<>(), SELF, Set.of(SELF), 3, clock);
        opened = Optional.of(controller);
        controller.start(leader);
        assertThat(leader.booted.await(20, TimeUnit.SECONDS)).isTrue();
        log.apply(leader.state);
        while (controller.word().boot() == 0) {
            Thread.onSpinWait(); // as above
        }
        clock.passes(1100);
        var beat = Heartbeat.of(SELF, registered.replication().incarnation(SELF), Set.of());
        assertThat(controller.beat(beat).promised()).isTrue();
        log.replaced = true;
        assertThat(controller.beat(beat).promised()).isFalse();
    }

    private static void requireSilent(Controller controller) {
        for (long version : new long[] {-1, 0, Long.MAX_VALUE}) {
            assertThatThrownBy(() -> controller.newer(version, SHORT))
                    .isInstanceOf(StoreException.Unavailable.class)
                    .hasMessageContaining("has not applied");
        }
    }
}
