package dev.sluice.targetnode.controller.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.cluster.BucketProperties;
import dev.sluice.common.cluster.Change;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.FoundCluster;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.cluster.StateCodec;
import dev.sluice.common.cluster.planning.Planner;
import dev.sluice.common.cluster.planning.PlanningFacts;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.controller.RaftNodes;
import dev.sluice.targetnode.controller.raft.RatisConsensus;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// The state of a cluster in the log of three controllers, whose calls go by the nodes' HTTP.
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class RaftLogTest {
    private static final int TARGETS = 40; // so that a group has 65,536 slots

    @TempDir
    private Path folder;

    private RaftNodes nodes;

    @BeforeEach
    void open() throws Exception {
        nodes = new RaftNodes(folder);
        nodes.open("target001", "target001");
        nodes.propose(new FoundCluster(
                "cluster",
                new TreeSet<>(
                        IntStream.range(0, TARGETS).mapToObj(RaftLogTest::id).toList())));
        for (var id : List.of("target002", "target003")) {
            nodes.open(id);
            nodes.log(nodes.leader()).add(id);
        }
    }

    @AfterEach
    void close() {
        nodes.close();
    }

    private static NodeId id(int target) {
        return new NodeId("target%03d".formatted(target + 1));
    }

    private ClusterState state() {
        return nodes.log(nodes.leader()).snapshot().orElseThrow();
    }

    private static Change plan(ClusterState state, Command command) {
        return Planner.plan(state, command, PlanningFacts.KNOWS_NOTHING).orElseThrow();
    }

    private ClusterState apply(Command command) {
        var before = state();
        var change = plan(before, command);
        nodes.propose(change);
        return before.apply(change).orElseThrow();
    }

    private ClusterState join() {
        for (int target = 0; target < TARGETS; target++) {
            apply(new Command.Join(new Node(id(target), Role.TARGET, "http://h:1", "", 1)));
            var drive = new Command.RegisteredDrive("drive-%d".formatted(target), 1, true);
            apply(new Command.Register(id(target), "nonce", 0, "boot", List.of(drive)));
        }
        return state();
    }

    private static Command.CreateBucket replicated(String name) {
        return new Command.CreateBucket(
                name, 1, BucketProperties.defaults(Optional.empty()).withReplicas(3));
    }

    @Test
    void entryLargerThanACallIsOneChangeEverywhere() throws Exception {
        var seen = new CopyOnWriteArrayList<Long>();
        var joined = join();
        var follower = List.of("target001", "target002", "target003").stream()
                .filter(id -> !id.equals(nodes.leader()))
                .findFirst()
                .orElseThrow();
        nodes.awaitAllHave(joined);
        nodes.log(follower).follow((_, state) -> seen.add(state.version()));
        var change = plan(joined, replicated("shards"));
        assertThat(StateCodec.encode(change).length).isGreaterThan(RatisConsensus.ENTRY_BYTES);
        nodes.propose(change);
        var after = joined.apply(change).orElseThrow();
        nodes.awaitAllHave(after);
        assertThat(seen).containsExactly(joined.version(), after.version());
        for (var id : List.of("target001", "target002", "target003")) {
            nodes.close(id);
        }
        for (var id : List.of("target001", "target002", "target003")) {
            nodes.open(id);
        }
        nodes.awaitAllHave(after);
    }

    @Test
    void changesGoOnWithoutTheLeader() throws Exception {
        apply(new Command.Join(new Node(id(0), Role.TARGET, "http://h:1", "", 1)));
        var old = nodes.leader();
        nodes.close(old);
        var after = apply(new Command.Join(new Node(id(1), Role.TARGET, "http://h:1", "", 1)));
        nodes.open(old);
        nodes.awaitAllHave(after);
        nodes.log(nodes.leader()).confirm();
    }

    /// Neither says yes, and none of them says what others may have changed.
    @Test
    void aMinorityLogsAndConfirmsNothing() {
        var before = state();
        var leader = nodes.leader();
        for (var id : List.of("target001", "target002", "target003")) {
            if (!id.equals(leader)) {
                nodes.close(id);
            }
        }
        var change = plan(before, new Command.Join(new Node(id(0), Role.TARGET, "http://h:1", "", 1)));
        assertThatThrownBy(() -> nodes.log(leader).propose(change)).isInstanceOf(StoreException.Unavailable.class);
        assertThatThrownBy(() -> nodes.log(leader).confirm()).isInstanceOf(StoreException.Unavailable.class);
        assertThatThrownBy(() -> nodes.log(leader).requireUsable())
                .as("what would change nothing here may not be so any more")
                .isInstanceOf(StoreException.Unavailable.class);
        assertThat(nodes.log(leader).snapshot()).contains(before);
    }

    /// Whoever planned from a state that is not the newest any more is told so.
    @Test
    void oneOfTwoChangesOfTheSameStateHasAnEffect() {
        var before = state();
        var effects = new ArrayList<Boolean>();
        for (int target = 0; target < 2; target++) {
            var change = plan(before, new Command.Join(new Node(id(target), Role.TARGET, "http://h:1", "", 1)));
            effects.add(nodes.log(nodes.leader()).propose(change));
        }
        assertThat(effects).containsExactly(true, false);
        assertThat(state().map().nodes()).containsOnlyKeys(id(0));
    }
}
