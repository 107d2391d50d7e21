package dev.sluice.targetnode.peer;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.auth.SealedSecrets;
import dev.sluice.common.cluster.BucketProperties;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.Heartbeat;
import dev.sluice.common.cluster.HeartbeatAnswer;
import dev.sluice.common.cluster.Leadership;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.cluster.slots.Durability;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.common.cluster.slots.SlotTable;
import dev.sluice.common.http.engine.AccessLog;
import dev.sluice.common.http.engine.EngineConfig;
import dev.sluice.common.http.engine.EngineMetrics;
import dev.sluice.common.http.engine.EventLoops;
import dev.sluice.common.http.engine.FailureAnswers;
import dev.sluice.common.http.engine.HttpServer;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.Controllers;
import dev.sluice.common.peer.PeerAddress;
import dev.sluice.common.peer.PeerClient;
import dev.sluice.common.peer.PeerPaths;
import dev.sluice.common.peer.PeerTokens;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.controller.Controller;
import dev.sluice.targetnode.controller.files.TestDrives;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Another node's copy of the controller's state, over HTTP.
@Timeout(60)
class WatchedStateTest {
    private static final byte[] KEY = "the cluster's own key".getBytes(StandardCharsets.UTF_8);
    private static final NodeId ONE = new NodeId("target001");
    private static final NodeId TWO = new NodeId("target002");

    @TempDir
    private Path drive;

    private final PeerClient peers = new PeerClient(new PeerTokens(TWO, KEY, InstantSource.system()));
    private EventLoops loops;
    private Controller controller;
    private HttpServer server;
    private Controllers remote;

    @BeforeEach
    void open() throws IOException {
        Files.createDirectories(drive.resolve(".sluice"));
        loops = EventLoops.start(1);
        controller = controller();
        for (var target : List.of(ONE, TWO)) {
            controller.apply(new Command.Join(new Node(target, Role.TARGET, "http://127.0.0.1:1", "", 1)));
            controller.apply(new Command.Register(
                    target, "nonce", 0, "boot", List.of(new Command.RegisteredDrive(target + "-drive", 1, true))));
        }
        controller.apply(new Command.CreateBucket("twice", 42, properties()));
        var two = controller.current().replication().target(TWO).orElseThrow();
        controller.apply(new Command.Down(TWO, two.version(), new TreeMap<>()));
        server = serve(0);
        remote = new Controllers(List.of(address()), Map.of(), peers, new SealedSecrets(KEY), true);
    }

    @AfterEach
    void close() {
        remote.close();
        controller.close();
        server.close();
        peers.close();
        loops.close();
    }

    private Controller controller() throws IOException {
        return Controller.open(TestDrives.at(drive), Set.of(ONE, TWO), new TreeMap<>(Map.of("access", "secret")));
    }

    private static BucketProperties properties() {
        return new BucketProperties(Optional.empty(), Durability.FSYNC, Optional.empty(), 1, 2, Optional.empty());
    }

    private HttpServer serve(int port) throws IOException {
        var api = new PeerApi(
                new PeerTokens(ONE, KEY, InstantSource.system()),
                new SealedSecrets(KEY),
                Optional.of(PeerApiTest.noStorage()),
                Optional.empty(),
                Optional.of(new ServedController(controller)),
                new ClusterViews(controller));
        return HttpServer.start(
                EngineConfig.DEFAULTS,
                loops,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                api,
                new EngineMetrics(new SimpleMeterRegistry(), "test"),
                FailureAnswers.PLAIN,
                AccessLog.NONE);
    }

    @Test
    void nodeThatAppliesChangesHasTheControllersStateAndFindsChangedRowsByIdentity() {
        var random = new Random(7);
        var known = remote.confirm();
        assertThat(known).isEqualTo(controller.current());
        for (int step = 0; step < 40; step++) {
            int slot = random.nextInt(known.replication().table(1).orElseThrow().size());
            var command = random.nextInt(4) == 0
                    ? new Command.CreateBucket("b" + step, 1, BucketProperties.defaults(Optional.empty()))
                    : expel(slot);
            var told = random.nextBoolean() ? remote.apply(command) : applied(command);
            assertThat(told).isEqualTo(controller.current());
            var changed = remote.current()
                    .replication()
                    .table(1)
                    .orElseThrow()
                    .since(known.replication().table(1).orElseThrow());
            assertThat(changed.slots().boxed())
                    .isSubsetOf(Set.of(slot))
                    .hasSize(command instanceof Command.Expel ? 1 : 0);
            known = remote.current();
        }
    }

    /// What the target that is up asks: the slot is its own from then on.
    private static Command expel(int slot) {
        return new Command.Expel(List.of(new Command.SlotDrive(1, slot, 1, ONE + "-drive", 1)));
    }

    private ClusterState applied(Command command) {
        controller.apply(command);
        return remote.confirm();
    }

    @Test
    void watcherHearsOfAChangeWithoutAsking() {
        remote.confirm();
        controller.apply(expel(5));
        eventually(() -> row(remote, 5).members().size() == 1);
        assertThat(remote.current()).isEqualTo(controller.current());
        assertThat(remote.current().credentials()).isEqualTo(Map.of("access", "secret"));
    }

    @Test
    void rowsStayTheSameObjectsAfterTheControllerRestarted() throws IOException {
        var before = remote.confirm().replication().table(1).orElseThrow();
        int port = server.address().getPort();
        controller.close();
        server.close();
        controller = controller();
        server = serve(port);
        controller.apply(expel(5));
        eventually(() -> remote.current().version() == controller.current().version());
        SlotTable after = remote.current().replication().table(1).orElseThrow();
        assertThat(after.since(before).slots()).containsExactly(5);
    }

    @Test
    void targetBeatsForItselfOnly() {
        controller.apply(new Command.Up(TWO, 2));
        var leads = new Leadership(0, Optional.of(ONE));
        assertThat(answer(Heartbeat.of(TWO, 2, Set.of())))
                .isEqualTo(new HeartbeatAnswer(ONE, false, controller.current().version(), leads));
        eventually(() -> answer(Heartbeat.of(TWO, 2, Set.of())).promised()); // 1.1 s after the controller's start
        assertThat(answer(Heartbeat.of(TWO, 1, Set.of())).promised())
                .as("an earlier process")
                .isFalse();
        var another = "target=target001&incarnation=1&number=0&applied=-1&full=";
        assertThatThrownBy(() -> peers.get(address(), PeerPaths.BEAT, another, Duration.ofSeconds(5)))
                .isInstanceOf(StoreException.class);
    }

    private PeerAddress address() {
        return new PeerAddress(ONE, "http://127.0.0.1:" + server.address().getPort());
    }

    private HeartbeatAnswer answer(Heartbeat beat) {
        var answer = new CompletableFuture<HeartbeatAnswer>();
        remote.beat(beat, answer::complete);
        return answer.join();
    }

    @Test
    void heartbeatNamesFullDrives() {
        var full = Set.of(TWO + "-drive", "another");
        remote.confirm();
        controller.apply(expel(5));
        beats(full);
        controller.start();
        eventually(() -> {
            beats(full);
            return remote.current().replication().target(TWO).orElseThrow().up();
        });
        assertThat(row(remote, 5).members()).as("no learner on a full drive").hasSize(1);
        eventually(() -> {
            beats(Set.of());
            return row(remote, 5).members().size() == 2;
        });
    }

    private void beats(Set<String> full) {
        controller.beat(Heartbeat.of(ONE, 1, Set.of()));
        answer(Heartbeat.of(TWO, 2, full));
    }

    private static SlotRow row(Controllers node, int slot) {
        return node.current().replication().table(1).orElseThrow().row(slot);
    }
}
