package dev.sluice.targetnode.controller.log;

import static dev.sluice.targetnode.controller.log.SeatNodes.ALL;
import static dev.sluice.targetnode.controller.log.SeatNodes.ONE;
import static dev.sluice.targetnode.controller.log.SeatNodes.THREE;
import static dev.sluice.targetnode.controller.log.SeatNodes.TWO;
import static dev.sluice.testing.Eventually.eventually;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.ClusterJson;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.FoundCluster;
import dev.sluice.common.name.NodeId;
import dev.sluice.targetnode.controller.raft.LogId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The log's id, which its founder draws, keeps servers of two logs apart: of two clusters, or of two lives of one.
@Timeout(120)
class LogsIdTest {
    /// All logs of earlier builds have it.
    private static final String OLD_ID = "56c4228b-c58d-3cdf-bff0-1c3fc6e84189";

    private static final String OLD_FILE = "sluice-server 1 65261204 target001.3fa9c1d2 founder 1750000000000\n";

    @TempDir
    private Path folder;

    private static ClusterState newCluster(SeatNodes nodes, String id) {
        nodes.open(ONE, TWO, THREE);
        eventually(nodes.log(ONE)::mayFound);
        nodes.propose(new FoundCluster(id, new TreeSet<>(ALL)));
        return nodes.awaitAll();
    }

    /// The one that all open controllers have.
    private static LogId id(SeatNodes nodes, NodeId... open) {
        var ids = new TreeSet<String>();
        for (var node : open) {
            ids.add(nodes.log(node).seat().log().orElseThrow().toString());
        }
        assertThat(ids).hasSize(1);
        return LogId.of(ids.first());
    }

    private static Map<NodeId, String> servers(SeatNodes nodes) {
        var servers = new TreeMap<NodeId, String>();
        ALL.forEach(node -> servers.put(node, nodes.awaitServer(node)));
        return servers;
    }

    private static Path serverFile(SeatNodes nodes, NodeId node) {
        return nodes.raft(node, "d0").resolve("server");
    }

    private static List<Path> setApart(SeatNodes nodes, NodeId node, String drive) throws IOException {
        try (var all = Files.list(nodes.raft(node, drive).getParent())) {
            return all.filter(path -> path.getFileName().toString().startsWith("raft.other-log-"))
                    .toList();
        }
    }

    @Test
    void foundersIdIsKeptByRestartsHandOversAndNewServers() throws Exception {
        try (var nodes = new SeatNodes(folder)) {
            newCluster(nodes, "cluster");
            var id = id(nodes, ONE, TWO, THREE);
            assertThat(id).isNotEqualTo(LogId.UNNAMED);
            for (var node : ALL) {
                assertThat(LogServerFolder.read(nodes.drives(node).now().getFirst(), node)
                                .logId())
                        .isEqualTo(id);
            }
            var before = servers(nodes);
            nodes.close(ONE, TWO, THREE);
            nodes.open(ONE, TWO, THREE);
            nodes.awaitAll();
            assertThat(servers(nodes)).isEqualTo(before);
            assertThat(id(nodes, ONE, TWO, THREE)).isEqualTo(id);

            eventually(() -> {
                nodes.leader().handOver(TWO);
                return nodes.log(TWO).seat().leads();
            });
            nodes.close(ONE);
            nodes.empty(ONE);
            nodes.open(ONE);
            nodes.awaitAll();
            assertThat(servers(nodes).get(ONE)).isNotEqualTo(before.get(ONE));
            assertThat(id(nodes, ONE, TWO, THREE)).isEqualTo(id);
        }
    }

    @Test
    void foldersOfEarlierBuildsGoOnUnderTheIdOfOld() throws Exception {
        try (var nodes = new SeatNodes(folder)) {
            Files.createDirectories(nodes.raft(ONE, "d0"));
            Files.writeString(serverFile(nodes, ONE), OLD_FILE);
            var state = newCluster(nodes, "cluster");
            assertThat(id(nodes, ONE, TWO, THREE)).hasToString(OLD_ID);
            assertThat(nodes.awaitServer(ONE)).isEqualTo("target001.3fa9c1d2");
            assertThat(nodes.raft(ONE, "d0").resolve("log/ratis/" + OLD_ID + "/current"))
                    .isDirectory();
            assertThat(serverFile(nodes, ONE)).hasContent(OLD_FILE.trim());
            nodes.close(ONE, TWO, THREE);
            nodes.open(ONE, TWO, THREE);
            assertThat(nodes.awaitAll()).isEqualTo(state);
            assertThat(id(nodes, ONE, TWO, THREE)).hasToString(OLD_ID);
        }
    }

    @Test
    void seatsOfEarlierBuildsAreOfTheLogOfOld() throws Exception {
        var old =
                "{\"server\":\"target001.3fa9c1d2\",\"holding\":\"SOME\",\"leader\":\"target002\",\"term\":3,\"leads\":false}";
        var seat = ClusterJson.read(old.getBytes(StandardCharsets.UTF_8), LogServer.class);
        assertThat(seat.log()).contains(LogId.UNNAMED);
        var none = old.replace("\"target001.3fa9c1d2\"", "null").replace("SOME", "NONE");
        assertThat(ClusterJson.read(none.getBytes(StandardCharsets.UTF_8), LogServer.class)
                        .log())
                .isEmpty();
        var now = new LogServer(
                Optional.of("target001.3fa9c1d2"),
                Optional.of(LogId.random()),
                LogServer.Holding.SOME,
                Optional.of(ONE),
                7,
                true);
        assertThat(ClusterJson.read(ClusterJson.write(now), LogServer.class)).isEqualTo(now);
    }

    /// That leads all the same, but what no other controller can join.
    @Test
    void loneControllersStateIsNoLog() {
        var heard = new HeardLogServers();
        heard.heard(
                ONE,
                new LogServer(Optional.empty(), Optional.empty(), LogServer.Holding.SOME, Optional.of(ONE), 0, true));
        assertThat(heard.leader()).contains(ONE);
        assertThat(heard.isLed()).isFalse();
        assertThat(heard.isAnotherLed(LogId.UNNAMED)).isFalse();
        assertThat(heard.notOf(LogId.UNNAMED)).isEmpty();
        var here = LogId.random();
        heard.heard(TWO, leading(TWO, here));
        assertThat(heard.led()).contains(here);
        heard.heard(THREE, leading(THREE, LogId.random()));
        assertThat(heard.led()).as("of two logs").isEmpty();
        assertThat(heard.isLed()).isTrue();
        assertThat(heard.of(here)).containsOnlyKeys(TWO);
        assertThat(heard.notOf(here)).containsOnlyKeys(THREE);
    }

    private static LogServer leading(NodeId node, LogId log) {
        return new LogServer(
                Optional.of(node + ".00000001"), Optional.of(log), LogServer.Holding.SOME, Optional.of(node), 1, true);
    }

    @Test
    void folderOfAnEarlierLifeIsSetApart() throws Exception {
        try (var nodes = new SeatNodes(folder)) {
            newCluster(nodes, "first");
            var old = id(nodes, ONE, TWO, THREE);
            var oldServer = nodes.awaitServer(THREE);
            nodes.close(ONE, TWO, THREE);
            var kept = Files.move(nodes.raft(THREE, "d0"), folder.resolve("kept"));
            ALL.forEach(nodes::empty);

            newCluster(nodes, "second");
            var id = id(nodes, ONE, TWO, THREE);
            assertThat(id).isNotEqualTo(old);
            nodes.close(THREE);
            SeatNodes.delete(nodes.raft(THREE, "d0"));
            Files.move(kept, nodes.raft(THREE, "d0"));
            nodes.open(THREE);
            nodes.awaitServer(THREE);
            assertThat(nodes.awaitAll().clusterId()).isEqualTo("second");
            assertThat(id(nodes, ONE, TWO, THREE)).isEqualTo(id);
            assertThat(nodes.awaitServer(THREE)).isNotEqualTo(oldServer);
            eventually(() -> !Files.exists(nodes.raft(THREE, "d0")) || isOf(nodes, THREE, id));
            var apart = setApart(nodes, THREE, "d0");
            assertThat(apart).hasSize(1);
            assertThat(apart.getFirst().resolve("server")).content().contains(oldServer, old.toString());
            assertThat(apart.getFirst().resolve("log/ratis/" + old + "/current/raft-meta"))
                    .exists();
        }
    }

    private static boolean isOf(SeatNodes nodes, NodeId node, LogId id) {
        try {
            return LogServerFolder.read(nodes.drives(node).now().getFirst(), node)
                    .logId()
                    .equals(id);
        } catch (IOException _) {
            return false;
        }
    }

    /// It has one of its own log, too, and the log has no leader without it.
    @Test
    void newerFolderOfAnotherLogKeepsNoControllerOutOfItsOwn() throws Exception {
        try (var nodes = new SeatNodes(folder)) {
            newCluster(nodes, "cluster");
            var before = servers(nodes);
            nodes.close(ONE, TWO, THREE);
            var foreign =
                    LogServerFolder.make(nodes.drives(THREE).now().getLast(), THREE, false, LogId.random(), Set.of());
            var nobody = new DirectCalls(peer -> {
                throw new IOException(peer + " is not here");
            });
            new RaftLog(foreign.log(), foreign.logId(), "d1", foreign.server(), Set.of(), nobody).close();
            assertThat(foreign.hasRecord()).isTrue();
            nodes.open(ONE, THREE);
            eventually(() -> nodes.server(THREE).equals(Optional.ofNullable(before.get(THREE))));
            nodes.leader();
            eventually(() -> !Files.exists(nodes.raft(THREE, "d1")));
            assertThat(setApart(nodes, THREE, "d1")).hasSize(1);
            nodes.open(TWO);
            nodes.awaitAll();
            assertThat(servers(nodes)).isEqualTo(before);
        }
    }

    /// Each hears of the other's leader, too, under the names of its own controllers.
    @Test
    void clustersWithEachOthersAddressesKeepTheirLogs() throws Exception {
        try (var here = new SeatNodes(folder.resolve("here"));
                var there = new SeatNodes(folder.resolve("there"))) {
            newCluster(here, "here");
            newCluster(there, "there");
            assertThat(id(here, ONE, TWO, THREE)).isNotEqualTo(id(there, ONE, TWO, THREE));
            var before = new HashMap<>(Map.of("here", servers(here), "there", servers(there)));
            here.alsoTell(there);
            there.alsoTell(here);
            here.staysSo(() -> members(here).equals(values(requireNonNull(before.get("here"))))
                    && members(there).equals(values(requireNonNull(before.get("there")))));
            var old = ALL.stream()
                    .filter(node -> there.log(node).seat().leads())
                    .findFirst()
                    .orElseThrow();
            there.close(old);
            there.leader();
            there.open(old);
            assertThat(there.awaitAll().clusterId()).isEqualTo("there");
            assertThat(here.awaitAll().clusterId()).isEqualTo("here");
            assertThat(Map.of("here", servers(here), "there", servers(there))).isEqualTo(before);
            for (var node : ALL) {
                assertThat(setApart(here, node, "d0")).isEmpty();
                assertThat(setApart(there, node, "d0")).isEmpty();
            }
        }
    }

    private static Set<String> members(SeatNodes nodes) {
        return nodes.leader().members();
    }

    private static Set<String> values(Map<NodeId, String> servers) {
        return servers.values().stream().collect(Collectors.toSet());
    }
}
