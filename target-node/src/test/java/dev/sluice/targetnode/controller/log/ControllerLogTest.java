package dev.sluice.targetnode.controller.log;

import static dev.sluice.targetnode.controller.log.SeatNodes.ALL;
import static dev.sluice.targetnode.controller.log.SeatNodes.ONE;
import static dev.sluice.targetnode.controller.log.SeatNodes.THREE;
import static dev.sluice.targetnode.controller.log.SeatNodes.TWO;
import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.FoundCluster;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.cluster.planning.Planner;
import dev.sluice.common.cluster.planning.PlanningFacts;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.controller.files.StateFiles;
import dev.sluice.targetnode.controller.log.LogServer.Holding;
import dev.sluice.targetnode.controller.raft.LogId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// How the log of three controllers begins, and how each of them comes to its place in it.
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class ControllerLogTest {
    private static final FoundCluster NEW_CLUSTER = new FoundCluster("cluster", new TreeSet<>(ALL));

    @TempDir
    private Path folder;

    private SeatNodes nodes;

    @BeforeEach
    void attachDrives() throws Exception {
        nodes = new SeatNodes(folder);
    }

    @AfterEach
    void close() {
        nodes.close();
    }

    /// With three servers of its log.
    private ClusterState newCluster() {
        nodes.open(ONE, TWO, THREE);
        eventually(nodes.log(ONE)::mayFound);
        nodes.propose(NEW_CLUSTER);
        return nodes.awaitAll();
    }

    private ClusterState join(NodeId node) {
        var before = nodes.leader().snapshot().orElseThrow();
        nodes.propose(Planner.plan(
                        before,
                        new Command.Join(new Node(node, Role.TARGET, "http://h:1", "", 1)),
                        PlanningFacts.KNOWS_NOTHING)
                .orElseThrow());
        return nodes.leader().snapshot().orElseThrow();
    }

    // ---- a log begins

    @Test
    void newClusterBeginsOnTheFirstControllerAndGetsThreeServers() {
        assertThat(newCluster().members()).containsExactlyElementsOf(ALL);
        for (var node : ALL) {
            var seat = nodes.log(node).seat();
            assertThat(seat.holding()).isEqualTo(Holding.SOME);
            assertThat(seat.leader()).isPresent();
            assertThat(seat.term()).isPositive();
            assertThat(nodes.log(node).trouble()).isEmpty();
            assertThat(nodes.log(node).isKeptOn(SeatNodes.id(node, "d0"))).isTrue();
            assertThat(nodes.log(node).isKeptOn(SeatNodes.id(node, "d1"))).isFalse();
        }
        nodes.leader().requireUsable();
        assertThat(nodes.leader().mayFound()).isFalse();
    }

    @Test
    void noServerIsAddedBeforeTheFirstEntry() {
        nodes.open(ONE, TWO, THREE);
        eventually(nodes.log(ONE)::mayFound);
        nodes.awaitServer(TWO);
        nodes.awaitServer(THREE);
        nodes.staysSo(() -> nodes.log(ONE).members().size() == 1);
        assertThat(nodes.log(TWO).mayFound()).isFalse();
    }

    @Test
    void noLogBeginsWithoutTheFirstController() {
        nodes.open(TWO, THREE);
        nodes.staysSo(() -> nodes.server(TWO).isEmpty() && nodes.server(THREE).isEmpty());
        assertThat(nodes.log(TWO).seat().holding()).isEqualTo(Holding.NONE);
        assertThat(nodes.drive(TWO, "d0").resolve(".sluice/control")).doesNotExist();
        assertThat(nodes.drive(THREE, "d0").resolve(".sluice/control")).doesNotExist();
        for (var node : new NodeId[] {TWO, THREE}) {
            assertThat(nodes.log(node).handler()).isEmpty();
            assertThatThrownBy(() -> nodes.log(node).propose(NEW_CLUSTER)).isInstanceOf(StoreException.NotLeader.class);
            assertThatThrownBy(() -> nodes.log(node).requireUsable()).isInstanceOf(StoreException.NotLeader.class);
        }
    }

    @Test
    void noLogBeginsWithoutADriveOrAMessage() {
        nodes.unplug(ONE, "d1");
        nodes.open(ONE, TWO, THREE);
        nodes.staysSo(() -> nodes.server(ONE).isEmpty());
        assertThat(nodes.log(ONE).seat().holding()).isEqualTo(Holding.UNKNOWN);
        assertThat(nodes.log(ONE).trouble())
                .hasValueSatisfying(why -> assertThat(why).contains("target001-d1"));
        assertThat(nodes.raft(ONE, "d0")).doesNotExist();
        nodes.silence(TWO);
        nodes.staysSo(() -> nodes.server(ONE).isEmpty());
        nodes.plug(ONE, "d1");
        nodes.staysSo(() -> nodes.server(ONE).isEmpty());
        nodes.speak(TWO);
        eventually(nodes.log(ONE)::mayFound);
    }

    @Test
    void noLogBeginsWhereAnotherControllerHasOne() {
        newCluster();
        nodes.close(ONE, TWO, THREE);
        nodes.empty(ONE);
        nodes.empty(TWO);
        nodes.open(ONE, TWO, THREE);
        nodes.awaitServer(THREE);
        nodes.staysSo(() -> nodes.server(ONE).isEmpty() && nodes.server(TWO).isEmpty());
        assertThat(nodes.log(THREE).seat().leads()).isFalse();
        assertThat(nodes.log(ONE).seat().holding()).isEqualTo(Holding.NONE);
    }

    /// The first one was killed when its folder was made, and nothing else.
    @Test
    void founderGoesOnAfterAKill() throws Exception {
        LogServerFolder.make(nodes.drives(ONE).now().getFirst(), ONE, true, LogId.random(), Set.of());
        newCluster();
    }

    @Test
    void controllerThatLostItsDriveJoinsUnderAnotherId() {
        newCluster();
        for (var node : List.of(TWO, ONE)) {
            var old = nodes.awaitServer(node);
            nodes.close(node);
            nodes.empty(node);
            nodes.leader();
            nodes.open(node);
            nodes.awaitAll();
            assertThat(nodes.awaitServer(node)).isNotEqualTo(old);
        }
    }

    @Tag("long") // SeatDamageTest has a short form
    @ParameterizedTest
    @ValueSource(strings = {"server", "log/record", "raft-meta", "log"})
    void controllerWhoseFolderLostAPartJoinsUnderAnotherId(String part) throws Exception {
        newCluster();
        var old = nodes.awaitServer(THREE);
        nodes.close(THREE);
        SeatNodes.delete(find(nodes.raft(THREE, "d0"), part));
        nodes.open(THREE);
        eventually(() -> nodes.server(THREE).filter(now -> !now.equals(old)).isPresent());
        nodes.awaitAll();
    }

    private static Path find(Path folder, String part) throws IOException {
        try (var all = Files.walk(folder)) {
            return all.filter(path -> path.endsWith(part)).findFirst().orElseThrow();
        }
    }

    @Test
    void folderOfAnotherNodeIsNotUsed() throws Exception {
        newCluster();
        var old = nodes.awaitServer(THREE);
        nodes.close(THREE, TWO);
        SeatNodes.delete(nodes.raft(THREE, "d0"));
        Files.move(nodes.raft(TWO, "d0"), nodes.raft(THREE, "d0"));
        // Beside one that leads it would put the folder aside and join as a new server.
        eventually(() -> !nodes.log(ONE).seat().leads());
        nodes.open(THREE);
        nodes.staysSo(() -> nodes.server(THREE).isEmpty());
        Files.move(nodes.raft(THREE, "d0"), nodes.raft(TWO, "d0"));
        nodes.open(TWO);
        eventually(() -> nodes.server(THREE).filter(now -> !now.equals(old)).isPresent());
        nodes.awaitAll();
    }

    /// The address is the node's: what is sent to the server before must not count as taken by the one after it.
    @Test
    void serverDoesNotAnswerForTheOneBeforeIt() throws Exception {
        newCluster();
        var handler = nodes.log(THREE).handler().orElseThrow();
        var call = RequestVoteRequestProto.newBuilder()
                .setServerRequest(RaftRpcRequestProto.newBuilder()
                        .setRequestorId(ByteString.copyFromUtf8("target001.00000000"))
                        .setReplyId(ByteString.copyFromUtf8("target003.00000000")))
                .build();
        assertThatThrownBy(() -> handler.vote(call.toByteArray()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("a call to target003.00000000 came to");
    }

    @Test
    void serverMovesWhenItsDriveIsToGo() {
        newCluster();
        var node = ALL.stream()
                .filter(each -> !nodes.log(each).seat().leads())
                .findFirst()
                .orElseThrow();
        var old = nodes.awaitServer(node);
        nodes.drain(node, "d0");
        eventually(() -> nodes.server(node).filter(now -> !now.equals(old)).isPresent());
        nodes.awaitAll();
        assertThat(nodes.log(node).isKeptOn(SeatNodes.id(node, "d1"))).isTrue();
    }

    /// With two servers gone there would be no majority to replace them, ever.
    @Test
    void serversMoveOneAfterTheOtherWhenAllTheirDrivesAreToGoAtOnce() {
        newCluster();
        ALL.forEach(node -> nodes.drain(node, "d0"));
        eventually(() -> ALL.stream().allMatch(node -> nodes.log(node).isKeptOn(SeatNodes.id(node, "d1"))));
        nodes.awaitAll();
        join(ONE);
    }

    /// Whatever is between the two, they do not leave at the same moment.
    @ParameterizedTest
    @ValueSource(ints = {500, 1000, 2000, 3000})
    void serversMoveOneAfterTheOtherWhenTheirDrivesAreToGoOneAfterTheOther(int millis) {
        newCluster();
        var others =
                ALL.stream().filter(each -> !nodes.log(each).seat().leads()).toList();
        nodes.drain(others.getLast(), "d0");
        nodes.pass(Duration.ofMillis(millis));
        nodes.drain(others.getFirst(), "d0");
        eventually(() -> others.stream().allMatch(node -> nodes.log(node).isKeptOn(SeatNodes.id(node, "d1"))));
        nodes.awaitAll();
        join(ONE);
    }

    @Test
    void leaderMakesWayWhenItsDriveIsToGo() {
        newCluster();
        var node = ALL.stream()
                .filter(each -> nodes.log(each).seat().leads())
                .findFirst()
                .orElseThrow();
        var old = nodes.awaitServer(node);
        nodes.drain(node, "d0");
        eventually(() -> nodes.server(node).filter(now -> !now.equals(old)).isPresent());
        nodes.awaitAll();
        assertThat(nodes.log(node).isKeptOn(SeatNodes.id(node, "d1"))).isTrue();
        assertThat(nodes.log(node).seat().leads()).as("one of the others leads").isFalse();

        nodes.plug(node, "d0");
        eventually(() -> !Files.exists(nodes.raft(node, "d0")));
        eventually(() -> {
            nodes.leader().handOver(node);
            return nodes.log(node).seat().leads();
        });
        nodes.drain(node, "d1");
        eventually(() -> nodes.log(node).isKeptOn(SeatNodes.id(node, "d0")));
        nodes.awaitAll();
    }

    @Test
    void leaderHandsOverToAnotherThatIsToLead() {
        newCluster();
        var old = ALL.stream()
                .filter(each -> nodes.log(each).seat().leads())
                .findFirst()
                .orElseThrow();
        var next = ALL.stream().filter(each -> !each.equals(old)).toList().getLast();
        nodes.log(old).handOver(next);
        eventually(
                () -> nodes.log(next).seat().leads() && !nodes.log(old).seat().leads());
        join(next);
        nodes.awaitAll();
    }

    // ---- the state from before there was a log

    private ClusterState oldState(String... drives) throws Exception {
        var empty = ClusterState.create("old", new TreeSet<>(ALL), new TreeMap<>(Map.of("key", "secret")));
        var state = Planner.next(empty, new Command.ControllerBoot(ONE, 1));
        for (var drive : List.of("d0", "d1")) {
            if (!List.of(drives).contains(drive)) {
                nodes.drain(ONE, drive);
            }
        }
        var files = new StateFiles(nodes.drives(ONE), ONE);
        files.save(state);
        eventually(() -> drives.length == 1 || files.isDue());
        files.save(state);
        nodes.plug(ONE, "d0");
        nodes.plug(ONE, "d1");
        return state;
    }

    private Path stateFile(String drive) {
        return nodes.drive(ONE, drive).resolve(".sluice/control/state");
    }

    private void awaitRenamed(String... drives) {
        for (var drive : drives) {
            eventually(() -> Files.exists(stateFile(drive).resolveSibling("state.before-raft")));
            assertThat(stateFile(drive)).doesNotExist();
        }
    }

    @Test
    void stateFromBeforeTheLogIsItsFirstEntry() throws Exception {
        var old = oldState("d0", "d1");
        nodes.open(ONE, TWO, THREE);
        var state = nodes.awaitAll();
        assertThat(state).isEqualTo(old.carrying(new TreeMap<>()));
        awaitRenamed("d0", "d1");
        assertThat(nodes.log(ONE).mayFound()).isFalse();
        nodes.close(ONE, TWO, THREE);
        nodes.open(ONE, TWO, THREE);
        assertThat(nodes.awaitAll()).isEqualTo(state);
    }

    /// It was killed before it renamed them, and the cluster went on.
    @Test
    void filesOfTheStateThatTheLogHasAreRenamedByTheNextStart() throws Exception {
        oldState("d0");
        var file = Files.readAllBytes(stateFile("d0"));
        nodes.open(ONE, TWO, THREE);
        nodes.awaitAll();
        awaitRenamed("d0");
        var newer = join(ONE);
        nodes.close(ONE, TWO, THREE);
        Files.write(stateFile("d0"), file);
        Files.delete(stateFile("d0").resolveSibling("state.before-raft"));
        nodes.open(ONE, TWO, THREE);
        awaitRenamed("d0");
        assertThat(nodes.awaitAll()).isEqualTo(newer);
    }

    /// It was killed before the log had its first entry.
    @Test
    void emptyLogTakesOverTheStateAtTheNextStart() throws Exception {
        nodes.open(ONE, TWO, THREE);
        eventually(nodes.log(ONE)::mayFound);
        nodes.close(ONE, TWO, THREE);
        oldState("d1");
        nodes.open(ONE, TWO, THREE);
        assertThat(nodes.awaitAll().clusterId()).isEqualTo("old");
        awaitRenamed("d1");
    }

    /// Another drive may have a newer one.
    @Test
    void stateThatMayNotBeTheNewestIsNotTakenOver() throws Exception {
        oldState("d0", "d1");
        Files.delete(stateFile("d1"));
        nodes.open(ONE, TWO, THREE);
        eventually(() -> nodes.log(ONE).trouble().isPresent());
        nodes.staysSo(() -> !nodes.log(ONE).mayFound());
        assertThat(nodes.log(ONE).trouble())
                .hasValueSatisfying(why -> assertThat(why).contains("target001-d1"));
        assertThatThrownBy(() -> nodes.log(ONE).propose(NEW_CLUSTER)).isInstanceOf(StoreException.NotLeader.class);
        assertThat(nodes.raft(ONE, "d0")).doesNotExist();
    }

    // ---- the log goes on

    @Test
    void anotherLeadsWithTheSameStateWhenTheLeaderIsClosed() {
        newCluster();
        var state = join(ONE);
        var old = ALL.stream()
                .filter(node -> nodes.log(node).seat().leads())
                .findFirst()
                .orElseThrow();
        nodes.close(old);
        eventually(() -> nodes.leader().snapshot().equals(Optional.of(state)));
        var newer = join(TWO);
        nodes.open(old);
        assertThat(nodes.awaitAll()).isEqualTo(newer);
    }

    @Test
    void controllersWithTheLogGoOnWithoutTheFirst() {
        var state = newCluster();
        nodes.close(ONE, TWO, THREE);
        nodes.open(TWO, THREE);
        assertThat(nodes.leader().snapshot()).contains(state);
        join(TWO);
    }
}
