package dev.sluice.targetnode.controller;

import static dev.sluice.targetnode.controller.ThreeNodes.ONE;
import static dev.sluice.targetnode.controller.ThreeNodes.THREE;
import static dev.sluice.targetnode.controller.ThreeNodes.TWO;
import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.cluster.BucketProperties;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.Heartbeat;
import dev.sluice.common.cluster.HeartbeatAnswer;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.ControllerHealth;
import dev.sluice.common.peer.Controllers;
import dev.sluice.common.store.StoreException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.ResourceLockTarget;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Three controllers over HTTP, in one JVM: who leads changes, and nodes go on.
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(
        value = ThreeControllersTest.PROCESSORS,
        mode = ResourceAccessMode.READ,
        target = ResourceLockTarget.CHILDREN)
@Timeout(120)
class ThreeControllersTest {
    /// The other tests wait for those that keep the processors busy.
    static final String PROCESSORS = "processors";

    private static final Logger LOG = LoggerFactory.getLogger(ThreeControllersTest.class);
    private static final List<NodeId> ALL = List.of(ONE, TWO, THREE);
    private static final Duration LONG = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    private ThreeNodes nodes;

    @BeforeEach
    void open() throws IOException {
        nodes = new ThreeNodes(folder);
    }

    @AfterEach
    void close() {
        nodes.close();
    }

    private void form() throws IOException {
        nodes.start(ONE, TWO, THREE);
        for (var id : ALL) {
            join(id);
        }
        eventually(LONG, () -> ALL.stream().allMatch(this::isFormed));
    }

    private void join(NodeId id) {
        eventually(LONG, () -> {
            try {
                nodes.plane(id)
                        .apply(new Command.Join(
                                new Node(id, Role.TARGET, nodes.address(id).url(), "", 1)));
                return true;
            } catch (StoreException.Unavailable again) {
                return false;
            }
        });
    }

    private boolean isFormed(NodeId id) {
        try {
            return nodes.plane(id)
                    .current()
                    .replication()
                    .controllers()
                    .keySet()
                    .containsAll(ALL);
        } catch (StoreException.Unavailable notYet) {
            return false;
        }
    }

    private NodeId leader() {
        var leaders = new ArrayList<NodeId>();
        eventually(LONG, () -> {
            leaders.clear();
            ALL.stream()
                    .filter(nodes::isStarted)
                    .filter(id -> nodes.controller(id).word().seat().leads())
                    .forEach(leaders::add);
            return leaders.size() == 1;
        });
        return leaders.getFirst();
    }

    private static Command create(String bucket) {
        return new Command.CreateBucket(bucket, 1, BucketProperties.defaults(Optional.empty()));
    }

    private static boolean isCreated(Controllers plane, String bucket) {
        try {
            plane.apply(create(bucket));
            return true;
        } catch (StoreException.BucketExists there) {
            return true;
        } catch (StoreException.Unavailable away) {
            return false;
        }
    }

    @Test
    void newClusterHasThreeControllersAndEachMayLead() throws IOException {
        form();
        for (int round = 0; round < 3; round++) {
            var old = leader();
            nodes.stop(old);
            var other = ALL.stream().filter(id -> !id.equals(old)).findFirst().orElseThrow();
            long begin = System.nanoTime();
            int number = round;
            eventually(LONG, () -> isCreated(nodes.plane(other), "bucket" + number));
            LOG.info("{} ms without a leader", (System.nanoTime() - begin) / 1_000_000);
            nodes.start(old);
            eventually(LONG, () -> nodes.controller(old).word().boot() > 0 && isKnown(old, "bucket" + number));
        }
        assertThat(nodes.plane(TWO).confirm()).isEqualTo(nodes.plane(THREE).confirm());
        assertThat(nodes.plane(TWO).current().buckets().buckets()).containsOnlyKeys("bucket0", "bucket1", "bucket2");
    }

    @Test
    void anotherControllerPassesOnWhatDoesNotReachTheLeader() throws IOException {
        form();
        var missed = leader();
        try (var client = nodes.client();
                var plane = nodes.planeWithout(missed, client)) {
            eventually(LONG, () -> isCreated(plane, "passed"));
            assertThat(plane.confirm().buckets().buckets()).containsKey("passed");
            assertThat(nodes.plane(missed).confirm().buckets().buckets()).containsKey("passed");
            assertThatThrownBy(() -> plane.apply(create("passed"))).isInstanceOf(StoreException.BucketExists.class);
        }
    }

    private boolean isKnown(NodeId node, String bucket) {
        try {
            return nodes.plane(node).view().bucket(bucket).isPresent();
        } catch (StoreException.Unavailable notYet) {
            return false;
        }
    }

    @Test
    void withoutTheFirstControllerNothingBegins() throws IOException {
        nodes.start(TWO, THREE);
        assertThatThrownBy(() -> nodes.plane(TWO).confirm()).isInstanceOf(StoreException.Unavailable.class);
        assertThatThrownBy(() -> nodes.plane(THREE).apply(create("a"))).isInstanceOf(StoreException.Unavailable.class);
        for (var id : List.of(TWO, THREE)) {
            assertThat(nodes.drive(id).resolve(".sluice/control")).doesNotExist();
        }
    }

    @Test
    void minorityAnswersNothing() throws IOException {
        form();
        assertThat(isCreated(nodes.plane(ONE), "kept")).isTrue();
        nodes.stop(TWO);
        nodes.stop(THREE);
        assertThatThrownBy(() -> nodes.plane(ONE).confirm()).isInstanceOf(StoreException.Unavailable.class);
        assertThatThrownBy(() -> nodes.plane(ONE).apply(create("lost"))).isInstanceOf(StoreException.Unavailable.class);
        assertThat(nodes.health(ONE)).isEqualTo(new ControllerHealth(false, "", "it hears no leader"));
        nodes.start(TWO);
        eventually(LONG, () -> isCreated(nodes.plane(ONE), "again"));
        assertThat(nodes.plane(TWO).confirm().buckets().buckets()).containsKeys("kept", "again");
    }

    @Test
    void targetHasALeaseWhileAMajorityOfControllersPromises() throws IOException {
        form();
        var register =
                new Command.Register(THREE, "nonce", 0, "boot", List.of(new Command.RegisteredDrive("d", 1, true)));
        int incarnation = nodes.plane(THREE).apply(register).replication().incarnation(THREE);
        awaitPromises(3, incarnation);
        nodes.stop(leader().equals(THREE) ? TWO : leader());
        awaitPromises(2, incarnation);
    }

    private void awaitPromises(int controllers, int incarnation) {
        var plane = nodes.plane(THREE);
        eventually(LONG, () -> {
            var answers = new LinkedBlockingQueue<HeartbeatAnswer>();
            plane.beat(Heartbeat.of(THREE, incarnation, Set.of()), answers::add);
            int promised = 0;
            for (int i = 0; i < controllers; i++) {
                promised += isPromised(answers) ? 1 : 0;
            }
            return promised == controllers;
        });
    }

    private static boolean isPromised(LinkedBlockingQueue<HeartbeatAnswer> answers) {
        try {
            var answer = answers.poll(1, TimeUnit.SECONDS);
            return answer != null && answer.promised();
        } catch (InterruptedException stopped) {
            throw new IllegalStateException(stopped);
        }
    }

    @Test
    void commandsOfManyClientsShareEntries() throws Exception {
        form();
        long begin = System.nanoTime();
        try (var clients = Executors.newFixedThreadPool(16)) {
            var all = new ArrayList<Future<?>>();
            for (int i = 0; i < 1000; i++) {
                var name = "bucket" + i;
                var plane = nodes.plane(ALL.get(i % 3));
                all.add(clients.submit(() -> plane.apply(create(name))));
            }
            for (var one : all) {
                one.get();
            }
        }
        LOG.info("1,000 buckets in {} ms", (System.nanoTime() - begin) / 1_000_000);
        assertThat(nodes.plane(TWO).confirm().buckets().buckets()).hasSize(1000);
    }

    /// Requests, jobs and copying run on virtual threads: two processors carry all of them, one after the other.
    @ResourceLock(PROCESSORS)
    @Test
    void thousandsOfBusyVirtualThreadsCauseNoElection() throws IOException {
        requireNoElectionWhileBusy(Duration.ofSeconds(6));
    }

    @Tag("long")
    @ResourceLock(PROCESSORS)
    @Test
    void norDoTheyForLong() throws IOException {
        requireNoElectionWhileBusy(Duration.ofSeconds(30));
    }

    private void requireNoElectionWhileBusy(Duration time) throws IOException {
        form();
        var before = nodes.controller(leader()).word().seat();
        var over = new AtomicBoolean();
        var computed = new AtomicLong();
        var threads = Executors.newVirtualThreadPerTaskExecutor();
        try {
            for (int i = 0; i < 5_000; i++) {
                threads.execute(() -> {
                    while (!over.get()) {
                        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(5);
                        while (System.nanoTime() < end) {
                            computed.incrementAndGet();
                        }
                        Thread.yield();
                    }
                });
            }
            long end = System.nanoTime() + time.toNanos();
            eventually(LONG.plus(time), () -> {
                ALL.forEach(id ->
                        assertThat(nodes.controller(id).word().seat().term()).isEqualTo(before.term()));
                return System.nanoTime() > end;
            });
        } finally {
            over.set(true);
            threads.close();
        }
        assertThat(computed.get()).isPositive();
    }

    @Test
    void stateIsThereAfterAllWereStopped() throws IOException {
        form();
        assertThat(isCreated(nodes.plane(TWO), "kept")).isTrue();
        ALL.forEach(nodes::stop);
        nodes.start(ONE, TWO, THREE);
        eventually(LONG, () -> ALL.stream().allMatch(id -> isKnown(id, "kept")));
        eventually(
                LONG,
                () -> nodes.plane(ONE)
                        .current()
                        .replication()
                        .controllers()
                        .equals(new TreeMap<>(Map.of(ONE, 2, TWO, 2, THREE, 2))));
    }
}
