package dev.sluice.targetnode.replica;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.common.cluster.slots.TargetEntry;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import dev.sluice.testing.Bytes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// Three targets, which are the controllers too: what is cut between controllers alone costs no replica, and a node
/// that is cut off is done without, also the one that leads.
@Execution(ExecutionMode.CONCURRENT)
@Timeout(180)
class CutControllersTest {
    private static final Duration SOON = Duration.ofSeconds(20);

    /// Several promises long.
    private static final Duration A_WHILE = Duration.ofSeconds(4);

    private static final List<String> KEYS =
            IntStream.range(0, 40).mapToObj("key-%d"::formatted).toList();

    @TempDir
    private Path folder;

    private static byte[] content(String key, int version) {
        return Bytes.random(31L * key.hashCode() + version, 700);
    }

    private static void putAll(ReplicaCluster cluster, int version) {
        KEYS.forEach(key -> cluster.put(key, content(key, version)));
    }

    private static void requireAll(ReplicaCluster cluster, int version) {
        KEYS.forEach(key -> assertThat(cluster.get(key).orElseThrow()).as(key).isEqualTo(content(key, version)));
    }

    private static void requireWhole(ReplicaCluster cluster) {
        assertThat(cluster.state().replication().targets().values())
                .as("nobody is down")
                .allMatch(TargetEntry::up);
        assertThat(cluster.slotsThat(row -> row.inSync().size() == 2))
                .as("slots with both replicas")
                .isEqualTo(cluster.group().slots());
        assertThat(cluster.servesEverySlot())
                .as("each slot is served by one target")
                .isTrue();
    }

    /// Nothing changes meanwhile.
    private static void staysWhole(ReplicaCluster cluster) {
        long end = System.nanoTime() + A_WHILE.toNanos();
        eventually(SOON, () -> {
            requireWhole(cluster);
            return System.nanoTime() > end;
        });
    }

    @Test
    void callsBetweenControllersAreCutAndNoSlotLosesAReplica() throws Exception {
        try (var cluster = ReplicaCluster.withThreeControllers(folder, 3)) {
            cluster.awaitWhole();
            putAll(cluster, 1);
            var controllers = cluster.controllers();
            var old = controllers.awaitLeader(controllers.ids());
            var others = controllers.others(old);
            others.forEach(other -> controllers.cutControllers(old, other));
            var next = controllers.awaitLeader(Set.copyOf(others));
            assertThat(next).isNotEqualTo(old);
            staysWhole(cluster);
            assertThat(controllers.isUsable(old)).as("it has no majority").isFalse();
            assertThat(controllers.isUsable(next)).isTrue();
            putAll(cluster, 2);
            requireAll(cluster, 2);

            controllers.cutControllers(others.getFirst(), others.getLast());
            staysWhole(cluster);
            assertThat(controllers.ids()).noneMatch(controllers::isUsable);
            putAll(cluster, 3);
            requireAll(cluster, 3);
            assertThatThrownBy(() -> controllers.plane(old).confirm()).isInstanceOf(StoreException.Unavailable.class);

            cluster.heal();
            eventually(SOON, () -> controllers.ids().stream().anyMatch(controllers::isUsable));
            staysWhole(cluster);
            requireAll(cluster, 3);
        }
    }

    @Test
    void nodeThatIsCutOffIsDoneWithoutAlsoTheOneThatLeads() throws Exception {
        try (var cluster = ReplicaCluster.withThreeControllers(folder, 3)) {
            cluster.awaitWhole();
            putAll(cluster, 1);
            var controllers = cluster.controllers();
            int version = 1;
            for (boolean leads : new boolean[] {true, false}) {
                var leader = controllers.awaitLeader(controllers.ids());
                var gone = leads ? leader : controllers.others(leader).getFirst();
                requireDoneWithout(cluster, gone, ++version);
            }
        }
    }

    /// The primary of a slot has a member leave with the word of the controller that leads: so one is to lead that
    /// it reaches.
    @Test
    void pairOfWhichOneHasTheLeaderSharesNoSlot() throws Exception {
        try (var cluster = ReplicaCluster.withThreeControllers(folder, 3)) {
            cluster.awaitWhole();
            putAll(cluster, 1);
            var controllers = cluster.controllers();
            var leader = controllers.awaitLeader(controllers.ids());
            var other = controllers.others(leader).getLast();
            controllers.cut(leader, other);
            cluster.network.cut(leader, other);
            eventually(
                    SOON, () -> cluster.slotsThat(row -> isOn(cluster, row, leader) && isOn(cluster, row, other)) == 0);
            putAll(cluster, 2);
            requireAll(cluster, 2);
            assertThat(cluster.state().replication().targets().values()).allMatch(TargetEntry::up);
            cluster.heal();
            cluster.awaitWhole();
            requireAll(cluster, 2);
            KEYS.forEach(key -> cluster.awaitOnEachReplica(key, content(key, 2)));
        }
    }

    private static boolean isOn(ReplicaCluster cluster, SlotRow row, NodeId target) {
        return row.members().stream()
                .anyMatch(member -> cluster.owner(member.drive()).id.equals(target));
    }

    private static void requireDoneWithout(ReplicaCluster cluster, NodeId gone, int version) {
        var controllers = cluster.controllers();
        var alone = IntStream.rangeClosed(1, 3)
                .mapToObj(cluster::target)
                .filter(target -> target.id.equals(gone))
                .findFirst()
                .orElseThrow();
        cluster.cutOff(alone);
        eventually(
                SOON,
                () -> cluster.slotsThat(row ->
                                row.opened() && cluster.owner(row.primary().drive()) != alone)
                        == cluster.group().slots());
        assertThat(alone.serves()).as("slots that it serves by itself").isZero();
        controllers.awaitLeader(new HashSet<>(controllers.others(gone)));
        assertThat(controllers.isUsable(gone)).isFalse();
        putAll(cluster, version);
        requireAll(cluster, version);
        cluster.heal();
        eventually(
                SOON,
                () -> cluster.state().replication().targets().values().stream().allMatch(TargetEntry::up));
        cluster.awaitWhole();
        requireAll(cluster, version);
        KEYS.forEach(key -> cluster.awaitOnEachReplica(key, content(key, version)));
    }
}
