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
import dev.sluice.common.cluster.planning.RecoveredState;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.controller.raft.LogId;
import dev.sluice.targetnode.storage.attach.DriveInUseException;
import dev.sluice.targetnode.storage.attach.DriveLock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// The log of three controllers that was begun again from a copy of one of them.
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class LogRecoveryTest {
    private static final Instant NOW = Instant.parse("2026-11-29T12:00:00Z");

    @TempDir
    private Path folder;

    private SeatNodes nodes;
    private int changes;

    @BeforeEach
    void found() throws Exception {
        nodes = new SeatNodes(folder);
        nodes.open(ONE, TWO, THREE);
        eventually(nodes.log(ONE)::mayFound);
        nodes.propose(new FoundCluster("cluster", new TreeSet<>(ALL)));
        change();
        nodes.awaitAll();
    }

    @AfterEach
    void stop() {
        nodes.close();
    }

    /// @return the state after it
    private ClusterState change() {
        var before = nodes.leader().snapshot().orElseThrow();
        var joining = new Command.Join(new Node(ONE, Role.TARGET, "http://h:" + ++changes, "", 1));
        nodes.propose(Planner.plan(before, joining, PlanningFacts.KNOWS_NOTHING).orElseThrow());
        return nodes.leader().snapshot().orElseThrow();
    }

    private Path folder(NodeId node) {
        return Objects.requireNonNull(nodes.drive(node, "d0").getParent());
    }

    private static LogId recover(Path from) throws IOException {
        try (var recovery = LogRecovery.open(from)) {
            return recovery.begin(NOW);
        }
    }

    private LogServerFolder file(NodeId node) throws IOException {
        return LogServerFolder.read(nodes.drives(node).now().getFirst(), node);
    }

    private static Map<String, String> files(Path folder) throws IOException {
        var files = new TreeMap<String, String>();
        try (var all = Files.walk(folder)) {
            for (var file : all.filter(Files::isRegularFile)
                    .filter(path -> !path.endsWith("lock"))
                    .toList()) {
                files.put(file.toString(), Arrays.toString(Files.readAllBytes(file)));
            }
        }
        return files;
    }

    @Test
    void logBeginsAgainWithTheRaisedStateOfTheOnlyCopy() throws Exception {
        var before = change();
        nodes.awaitAll();
        var old = file(THREE).logId();
        nodes.close(ONE, TWO, THREE);
        nodes.empty(ONE);
        nodes.empty(TWO);
        try (var recovery = LogRecovery.open(folder(THREE))) {
            assertThat(recovery.copies()).hasSize(1);
            assertThat(recovery.unusable()).isEmpty();
            var copy = recovery.best();
            assertThat(copy.node()).isEqualTo(THREE);
            assertThat(copy.id()).isEqualTo(old);
            assertThat(copy.state()).isEqualTo(before);
            assertThat(copy.log().lacks()).isEmpty();
            recovery.begin(NOW);
        }
        nodes.open(THREE);
        eventually(() -> nodes.leader().snapshot().isPresent());
        assertThat(nodes.leader().snapshot()).contains(RecoveredState.of(before, NOW));
        nodes.open(ONE, TWO);
        assertThat(nodes.awaitAll()).isEqualTo(RecoveredState.of(before, NOW));
        var after = change();
        assertThat(after.version()).isEqualTo(RecoveredState.of(before, NOW).version() + 1);
        nodes.close(ONE, TWO, THREE);
        nodes.open(ONE, TWO, THREE);
        assertThat(nodes.awaitAll()).isEqualTo(after);
        for (var node : ALL) {
            assertThat(file(node).logId()).as("%s", node).isNotEqualTo(old);
            assertThat(file(node).barred()).as("%s", node).containsExactly(old);
        }
    }

    @Test
    void newestOfAllCopiesCountsAndTheOthersDoNotStartAgain() throws Exception {
        nodes.close(THREE);
        var newest = change();
        nodes.awaitServer(TWO);
        eventually(() -> nodes.log(TWO).snapshot().equals(nodes.log(ONE).snapshot()));
        nodes.close(ONE, TWO);
        var oldest = file(THREE);
        try (var recovery = LogRecovery.open(folder)) {
            assertThat(recovery.copies()).hasSize(3);
            assertThat(recovery.copies().getLast().node()).isEqualTo(THREE);
            assertThat(recovery.best().state()).isEqualTo(newest);
            recovery.begin(NOW);
        }
        assertThat(file(THREE).server()).isEqualTo(oldest.server());
        assertThat(file(THREE).barred()).contains(oldest.logId());
        nodes.open(ONE, TWO, THREE);
        assertThat(nodes.awaitAll()).isEqualTo(RecoveredState.of(newest, NOW));
        assertThat(nodes.awaitServer(THREE)).isNotEqualTo(oldest.server());
    }

    @Test
    void lastEntryThatIsDamagedIsLeftOut() throws Exception {
        var before = nodes.leader().snapshot().orElseThrow();
        change();
        nodes.awaitAll();
        nodes.close(THREE, ONE, TWO); // nothing comes to it when the leader has gone
        var file = newestFile(THREE);
        var bytes = Files.readAllBytes(file);
        int end = bytes.length;
        while (bytes[end - 1] == 0) {
            end--;
        }
        bytes[end - 10] ^= 0x10;
        Files.write(file, bytes);
        try (var recovery = LogRecovery.open(folder(THREE))) {
            assertThat(recovery.best().log().lacks().orElseThrow()).contains(" is damaged: ", " bytes from byte ");
            assertThat(recovery.best().state()).isEqualTo(before);
            recovery.begin(NOW);
        }
        nodes.open(THREE);
        eventually(() -> nodes.leader().snapshot().isPresent());
        assertThat(nodes.leader().snapshot()).contains(RecoveredState.of(before, NOW));
    }

    private Path newestFile(NodeId node) throws IOException {
        try (var all = Files.walk(nodes.raft(node, "d0"))) {
            return all.filter(path -> path.getFileName().toString().startsWith("log_"))
                    .max(Path::compareTo)
                    .orElseThrow();
        }
    }

    @Test
    void driveOfARunningNodeIsRefused() throws Exception {
        nodes.close(ONE, TWO, THREE);
        Files.createFile(nodes.drive(THREE, "d1").resolve(".sluice/drive.json"));
        var before = files(folder);
        try (var _ = DriveLock.take(nodes.drive(THREE, "d1"))) {
            assertThatThrownBy(() -> LogRecovery.open(folder(THREE)))
                    .isInstanceOf(DriveInUseException.class)
                    .hasMessageContaining(nodes.drive(THREE, "d1").toString());
        }
        assertThat(files(folder)).isEqualTo(before);
        recover(folder(THREE));
    }

    @Test
    void folderWithoutACopyIsRefused() throws Exception {
        nodes.close(ONE, TWO, THREE);
        assertThatThrownBy(() -> LogRecovery.open(folder.resolve("none"))).hasMessageContaining("is no folder");
        var empty = Files.createDirectory(folder.resolve("empty"));
        assertThatThrownBy(() -> LogRecovery.open(empty)).hasMessageContaining("is no drive of a target");
        Files.writeString(nodes.raft(THREE, "d0").resolve("server"), "sluice-server 3 nonsense\n");
        assertThatThrownBy(() -> LogRecovery.open(folder(THREE)))
                .hasMessageContaining("can be used")
                .hasMessageContaining("server is damaged");
    }

    /// Their terms cannot be compared: that of the old one is higher.
    @Test
    void replacedLogIsNotTakenForACopyAndAnotherOneIsRefused() throws Exception {
        nodes.close(ONE, TWO, THREE);
        var first = recover(folder(ONE));
        try (var recovery = LogRecovery.open(folder)) {
            assertThat(recovery.copies()).hasSize(1);
            assertThat(recovery.best().id()).isEqualTo(first);
            assertThat(recovery.unusable()).hasSize(2).allMatch(why -> why.contains("was replaced by"));
        }
        var foreign = LogServerFolder.make(nodes.drives(TWO).now().getLast(), TWO, false, LogId.random(), Set.of());
        SeatNodes.delete(foreign.log());
        copy(nodes.raft(ONE, "d0").resolve("log-" + first), foreign.log());
        Files.move(foreign.log().resolve("ratis/" + first), foreign.log().resolve("ratis/" + foreign.logId()));
        assertThatThrownBy(() -> LogRecovery.open(folder))
                .hasMessageContaining("has copies of several logs")
                .hasMessageContaining(first.toString())
                .hasMessageContaining(foreign.logId().toString());
    }

    private static void copy(Path from, Path to) throws IOException {
        try (var all = Files.walk(from)) {
            for (var each : all.toList()) {
                Files.copy(each, to.resolve(from.relativize(each)));
            }
        }
    }

    /// The file that names the new log is the last thing that is written.
    @Test
    void recoveryThatBrokeOffLeavesTheOldLog() throws Exception {
        nodes.close(ONE, TWO);
        nodes.close(THREE);
        var server = nodes.raft(THREE, "d0").resolve("server");
        var old = Files.readAllBytes(server);
        var unfinished = recover(folder(THREE));
        Files.write(server, old);
        nodes.open(ONE, THREE);
        var state = change();
        nodes.close(ONE, THREE);
        try (var recovery = LogRecovery.open(folder(THREE))) {
            assertThat(recovery.best().state()).isEqualTo(state);
            recovery.begin(NOW);
        }
        assertThat(nodes.raft(THREE, "d0").resolve("log-" + unfinished)).doesNotExist();
        nodes.open(THREE);
        eventually(() -> nodes.leader().snapshot().isPresent());
        assertThat(nodes.leader().snapshot()).contains(RecoveredState.of(state, NOW));
    }

    /// Two of three, which would be a majority.
    @Test
    void theOldLogDoesNotGoOnBesideTheNewOne() throws Exception {
        nodes.close(ONE, TWO, THREE);
        recover(folder(THREE));
        nodes.open(ONE, TWO);
        nodes.leader();
        var lost = change();
        for (var node : List.of(ONE, TWO)) {
            nodes.log(node).begins(); // as the node's controller does
        }
        nodes.open(THREE);
        for (var node : List.of(ONE, TWO)) {
            eventually(() -> nodes.log(node)
                    .trouble()
                    .filter("this log was replaced by `cluster recover`: restart this node"::equals)
                    .isPresent());
            assertThat(nodes.log(node).isReplaced()).isTrue();
            assertThat(nodes.log(node).handler()).isEmpty();
            assertThatThrownBy(() -> nodes.log(node).propose(new FoundCluster("other", new TreeSet<>(ALL))))
                    .isInstanceOf(StoreException.NotLeader.class);
            assertThatThrownBy(() -> nodes.log(node).begins()).isInstanceOf(StoreException.Unavailable.class);
        }
        eventually(() -> nodes.log(THREE).seat().leads());
        nodes.staysSo(() -> nodes.server(ONE).isEmpty() && nodes.server(TWO).isEmpty());
        nodes.close(ONE, TWO);
        nodes.open(ONE, TWO);
        var state = nodes.awaitAll();
        assertThat(state.version()).isEqualTo(RecoveredState.of(lost, NOW).version() - 1);
        for (var node : List.of(ONE, TWO)) {
            assertThat(nodes.log(node).isReplaced()).isFalse();
            eventually(() -> setApart(node).size() == 1);
        }
    }

    private Set<String> setApart(NodeId node) {
        var names = nodes.drive(node, "d0").resolve(".sluice/control").toFile().list();
        return Arrays.stream(Objects.requireNonNull(names))
                .filter(name -> name.startsWith("raft.other-log-"))
                .collect(Collectors.toUnmodifiableSet());
    }

    @Test
    void controllerThatHasNotBegunJoinsTheNewLogAtOnce() throws Exception {
        var before = nodes.leader().snapshot().orElseThrow();
        nodes.close(ONE, TWO, THREE);
        recover(folder(THREE));
        nodes.open(ONE);
        nodes.awaitServer(ONE);
        nodes.open(THREE);
        assertThat(nodes.awaitAll()).isEqualTo(RecoveredState.of(before, NOW));
        eventually(() -> setApart(ONE).size() == 1);
        assertThat(nodes.log(ONE).isReplaced()).isFalse();
    }
}
