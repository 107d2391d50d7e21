package dev.sluice.common.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.auth.SealedSecrets;
import dev.sluice.common.cluster.BucketProperties;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.Heartbeat;
import dev.sluice.common.cluster.HeartbeatAnswer;
import dev.sluice.common.cluster.Leadership;
import dev.sluice.common.cluster.StateUpdate;
import dev.sluice.common.cluster.planning.Planner;
import dev.sluice.common.concurrent.Deadline;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A node and three controllers of the same process.
@Timeout(60)
class ControllersTest {
    private static final byte[] KEY = "the cluster's own key".getBytes(StandardCharsets.UTF_8);
    private static final NodeId ONE = new NodeId("target001");
    private static final NodeId TWO = new NodeId("target002");
    private static final NodeId THREE = new NodeId("target003");

    private final PeerClient peers = new PeerClient(new PeerTokens(ONE, KEY, InstantSource.system()));
    private final Map<NodeId, ControllerService> here = new ConcurrentHashMap<>();
    private final Map<NodeId, Fake> fakes = new TreeMap<>();
    private Controllers node;

    /// What is agreed on.
    private volatile ClusterState state = ClusterState.create("c", new TreeSet<>(), new TreeMap<>());

    private volatile NodeId leader = ONE;
    private volatile long term = 1;

    private final class Fake implements ControllerService {
        private final NodeId id;
        private volatile boolean hearsLeader = true;
        private volatile boolean knowsLeader = true;
        private volatile boolean silent;
        private final List<Command> taken = new ArrayList<>();
        private final CountDownLatch ended = new CountDownLatch(1);

        Fake(NodeId id) {
            this.id = id;
        }

        private Told told(long version) {
            var now = state;
            return new Told(
                    now.version() == version ? new StateUpdate.Changes(List.of()) : new StateUpdate.Snapshot(now),
                    new Leadership(term, Optional.of(leader)));
        }

        private void requireLeading() {
            if (!leader.equals(id)) {
                throw new StoreException.NotLeader(
                        "another", knowsLeader ? Optional.of(leader.value()) : Optional.empty());
            }
        }

        @Override
        public Told newer(long version, Duration patience) {
            if (!hearsLeader) {
                throw new StoreException.Unavailable(id + " hears nobody");
            }
            long deadline = System.nanoTime() + Duration.ofMillis(50).toNanos();
            while (state.version() <= version && System.nanoTime() < deadline) {
                LockSupport.parkNanos(1_000_000);
            }
            return told(version);
        }

        @Override
        public Told confirm(long version) {
            requireLeading();
            return told(version);
        }

        @Override
        public Told apply(Command command, long version) {
            requireLeading();
            taken.add(command);
            state = Planner.next(state, command);
            return told(version);
        }

        @Override
        public HeartbeatAnswer beat(Heartbeat beat) {
            if (silent) {
                try {
                    ended.await();
                } catch (InterruptedException stopped) {
                    throw new IllegalStateException(stopped);
                }
            }
            return new HeartbeatAnswer(id, true, state.version(), new Leadership(term, Optional.of(leader)));
        }
    }

    @BeforeEach
    void open() {
        for (var id : List.of(ONE, TWO, THREE)) {
            fakes.put(id, new Fake(id));
            here.put(id, fake(id));
        }
        node = new Controllers(
                fakes.keySet().stream().map(ControllersTest::nowhere).toList(),
                here,
                peers,
                new SealedSecrets(KEY),
                true);
    }

    /// Nobody listens there.
    private static PeerAddress nowhere(NodeId id) {
        return new PeerAddress(id, "http://127.0.0.1:1");
    }

    @AfterEach
    void close() {
        fakes.values().forEach(fake -> fake.ended.countDown());
        node.close();
        peers.close();
    }

    private static void awaitLeader(Controllers node, NodeId leader) {
        while (!node.leadership().isOf(leader)) {
            Thread.onSpinWait();
        }
    }

    private Fake fake(NodeId id) {
        return Optional.ofNullable(fakes.get(id)).orElseThrow();
    }

    private static Command create(String bucket) {
        return new Command.CreateBucket(bucket, 1, BucketProperties.defaults(Optional.empty()));
    }

    @Test
    void controllersAreTheThreeTargetsWithTheLowestIdsOrOne() {
        var four = List.of(nowhere(THREE), nowhere(new NodeId("target004")), nowhere(ONE), nowhere(TWO));
        assertThat(Controllers.among(four)).containsExactly(nowhere(ONE), nowhere(TWO), nowhere(THREE));
        assertThat(Controllers.among(four.subList(0, 2))).containsExactly(nowhere(THREE));
    }

    @Test
    void commandGoesToTheLeaderThatAnotherControllerNames() {
        leader = THREE;
        assertThat(node.apply(create("a")).buckets().buckets()).containsOnlyKeys("a");
        assertThat(fake(THREE).taken).containsExactly(create("a"));
        assertThat(node.current()).isEqualTo(state);
    }

    /// Its sender would not hear what became of it.
    @Test
    void changeIsNotSentWhenLittleTimeIsLeft() {
        assertThatThrownBy(() -> Deadline.in(Duration.ofMillis(900)).call(() -> node.apply(create("a"))))
                .isInstanceOf(StoreException.Unavailable.class)
                .hasMessageContaining("nothing was changed");
        assertThat(fake(ONE).taken).isEmpty();
        Deadline.in(Duration.ofSeconds(30)).call(() -> node.apply(create("a")));
        assertThat(fake(ONE).taken).containsExactly(create("a"));
    }

    @Test
    void commandFindsTheLeaderThatNobodyNames() {
        fakes.values().forEach(fake -> fake.knowsLeader = false);
        leader = TWO;
        assertThat(node.apply(create("a")).buckets().buckets()).containsOnlyKeys("a");
        assertThat(node.confirm()).isEqualTo(state);
    }

    @Test
    void commandIsSentToAnotherWhenOneIsNotReached() {
        here.remove(ONE);
        leader = TWO;
        assertThat(node.apply(create("a")).buckets().buckets()).containsOnlyKeys("a");
    }

    /// It has the command, and stands still. Nobody knows whether it will have an effect.
    @Test
    void leaderThatStandsStillIsNotWaitedForWhenAnotherLeads() throws Exception {
        try (var frozen = new ServerSocket(0, 9, InetAddress.getLoopbackAddress());
                var one = new Controllers(
                        List.of(
                                new PeerAddress(ONE, "http://127.0.0.1:" + frozen.getLocalPort()),
                                nowhere(TWO),
                                nowhere(THREE)),
                        here,
                        peers,
                        new SealedSecrets(KEY),
                        true)) {
            here.remove(ONE);
            awaitLeader(one, ONE);
            var answer = CompletableFuture.supplyAsync(() -> one.apply(create("a")));
            frozen.accept(); // the command, or a question before it
            leader = TWO;
            term = 2;
            assertThatThrownBy(() -> answer.get(8, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(StoreException.Unavailable.class)
                    .hasMessageContaining("not known whether");
            assertThat(one.apply(create("b")).buckets().buckets()).containsOnlyKeys("b");
        }
    }

    /// It leads for the others, but this node's questions get no answer.
    @Test
    void leaderThatAnswersNoBeatsIsAskedThroughAnother() throws Exception {
        try (var cut = new ServerSocket(0, 99, InetAddress.getLoopbackAddress());
                var one = new Controllers(
                        List.of(
                                new PeerAddress(ONE, "http://127.0.0.1:" + cut.getLocalPort()),
                                nowhere(TWO),
                                nowhere(THREE)),
                        here,
                        peers,
                        new SealedSecrets(KEY),
                        true)) {
            here.remove(ONE);
            here.put(TWO, new ForwardingControlPlane(fake(TWO), leading -> Optional.of(fake(leading))));
            awaitLeader(one, ONE);
            var beats = Thread.ofVirtual().start(() -> {
                while (!Thread.interrupted()) {
                    one.beat(Heartbeat.of(THREE, 1, Set.of()), _ -> {});
                    LockSupport.parkNanos(50_000_000);
                }
            });
            assertThatThrownBy(() -> one.apply(create("a")))
                    .isInstanceOf(StoreException.Unavailable.class)
                    .hasMessageContaining("answers no heartbeats");
            assertThat(one.apply(create("b")).buckets().buckets()).containsOnlyKeys("b");
            beats.interrupt();
        }
    }

    @Test
    void refusalOfTheLeaderIsTheAnswer() {
        node.apply(create("a"));
        assertThatThrownBy(() -> node.apply(create("a"))).isInstanceOf(StoreException.BucketExists.class);
    }

    @Test
    void stateComesFromAControllerThatHearsTheLeader() throws Exception {
        fake(ONE).hearsLeader = false;
        fake(TWO).hearsLeader = false;
        here.remove(TWO);
        long version = node.confirm().version();
        var next = node.watch(version);
        state = Planner.next(state, create("b"));
        assertThat(next.get(10, TimeUnit.SECONDS)).isEqualTo(state);
    }

    @Test
    void beatReachesTheOthersWhenOneControllerStandsStill() throws Exception {
        fake(TWO).silent = true;
        var answers = new LinkedBlockingQueue<NodeId>();
        for (int beat = 0; beat < 3; beat++) {
            node.beat(Heartbeat.of(THREE, 1, Set.of()), answer -> answers.add(answer.controller()));
            assertThat(List.of(one(answers), one(answers))).containsExactlyInAnyOrder(ONE, THREE);
        }
        assertThat(answers).isEmpty();
        assertThat(node.leadership()).isEqualTo(new Leadership(1, Optional.of(ONE)));
    }

    private static NodeId one(LinkedBlockingQueue<NodeId> answers) throws InterruptedException {
        return Optional.ofNullable(answers.poll(10, TimeUnit.SECONDS)).orElseThrow();
    }

    @Test
    void leaderOfAnEarlierTermIsNotBelieved() {
        term = 5;
        node.confirm();
        assertThat(node.leadership().or(new Leadership(4, Optional.of(TWO))).isOf(ONE))
                .isTrue();
        assertThat(node.leadership().or(new Leadership(6, Optional.empty())).isOf(ONE))
                .as("nobody else leads yet")
                .isTrue();
        assertThat(node.leadership().or(new Leadership(6, Optional.of(TWO))).isOf(TWO))
                .isTrue();
    }
}
