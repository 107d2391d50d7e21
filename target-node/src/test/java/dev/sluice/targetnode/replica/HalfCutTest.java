package dev.sluice.targetnode.replica;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.common.cluster.slots.TargetEntry;
import dev.sluice.testing.Bytes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// Targets that do not hear each other, though the controller hears them all: their slots are written again after a few
/// seconds, and nothing is lost.
@Execution(ExecutionMode.CONCURRENT)
@Timeout(180)
class HalfCutTest {
    private static final Duration SOON = Duration.ofSeconds(20);
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

    private static boolean isOn(ReplicaCluster cluster, SlotRow row, ReplicaCluster.Target target) {
        return row.members().stream().anyMatch(member -> cluster.owner(member.drive()) == target);
    }

    private static boolean allUp(ReplicaCluster cluster) {
        return cluster.state().replication().targets().values().stream().allMatch(TargetEntry::up);
    }

    /// The writes that were acknowledged while targets were cut off are on each replica after.
    private static void requireWholeAfterwards(ReplicaCluster cluster, int version) {
        cluster.heal();
        eventually(
                SOON,
                () -> allUp(cluster) && cluster.state().replication().muted().isEmpty());
        cluster.awaitWhole();
        requireAll(cluster, version);
        KEYS.forEach(key -> cluster.awaitOnEachReplica(key, content(key, version)));
    }

    private static void requirePairApart(ReplicaCluster cluster) {
        var one = cluster.target(2);
        var other = cluster.target(3);
        eventually(SOON, () -> cluster.slotsThat(row -> isOn(cluster, row, one) && isOn(cluster, row, other)) == 0);
        putAll(cluster, 2);
        assertThat(allUp(cluster)).as("both are heard by the third").isTrue();
        assertThat(cluster.state().replication().muted()).isEmpty();
        assertThat(cluster.slotsThat(row -> row.inSync().isEmpty())).isZero();
        requireAll(cluster, 2);
        requireWholeAfterwards(cluster, 2);
    }

    @Test
    void aPairThatIsCutSharesNoSlot() throws Exception {
        try (var cluster = new ReplicaCluster(folder, 3, 1)) {
            putAll(cluster, 1);
            cluster.network.cut(cluster.target(2).id, cluster.target(3).id);
            requirePairApart(cluster);
        }
    }

    /// It answers pings on an event loop, but does nothing else.
    @Test
    void oneWhoseMessagesGetNoThreadKeepsNoSlot() throws Exception {
        try (var cluster = new ReplicaCluster(folder, 3, 1)) {
            putAll(cluster, 1);
            var starved = cluster.target(3);
            cluster.network.starve(starved.id);
            putAll(cluster, 2);
            eventually(SOON, () -> cluster.slotsThat(row -> isOn(cluster, row, starved)) == 0);
            requireAll(cluster, 2);
            requireWholeAfterwards(cluster, 2);
        }
    }

    @Test
    void norDoesOneOfWhichOneHearsTheOther() throws Exception {
        try (var cluster = new ReplicaCluster(folder, 3, 1)) {
            putAll(cluster, 1);
            cluster.network.cutOneWay(cluster.target(2).id, cluster.target(3).id);
            requirePairApart(cluster);
        }
    }

    @Test
    void oneThatNobodyHearsIsMutedAndReturns() throws Exception {
        try (var cluster = new ReplicaCluster(folder, 3, 1)) {
            putAll(cluster, 1);
            var alone = cluster.target(3);
            cluster.network.cut(alone.id, cluster.target(1).id);
            cluster.network.cut(alone.id, cluster.target(2).id);
            eventually(SOON, () -> !allUp(cluster));
            assertThat(cluster.state().replication().muted()).containsExactly(alone.id);
            putAll(cluster, 2);
            assertThat(cluster.slotsThat(
                            row -> isOn(cluster, row, alone) && row.members().size() > 1))
                    .isZero();
            requireWholeAfterwards(cluster, 2);
        }
    }

    @Test
    void halvesThatAreCutLoseNothing() throws Exception {
        try (var cluster = new ReplicaCluster(folder, 4, 1)) {
            putAll(cluster, 1);
            for (int one = 1; one <= 2; one++) {
                for (int other = 3; other <= 4; other++) {
                    cluster.network.cut(cluster.target(one).id, cluster.target(other).id);
                }
            }
            eventually(SOON, () -> cluster.state().replication().muted().size() == 2 && !allUp(cluster));
            var muted = cluster.state().replication().muted();
            var served = KEYS.stream()
                    .filter(key -> cluster.members(key).stream().anyMatch(member -> !muted.contains(member.id)))
                    .toList();
            assertThat(served).isNotEmpty();
            served.forEach(key -> cluster.put(key, content(key, 2)));
            served.forEach(
                    key -> assertThat(cluster.get(key).orElseThrow()).as(key).isEqualTo(content(key, 2)));
            cluster.heal();
            eventually(SOON, () -> allUp(cluster));
            cluster.awaitWhole();
            for (var key : KEYS) {
                assertThat(cluster.get(key).orElseThrow())
                        .as(key)
                        .isEqualTo(content(key, served.contains(key) ? 2 : 1));
            }
        }
    }

    @Test
    void nobodyIsMutedWhereNothingIsCut() throws Exception {
        try (var cluster = new ReplicaCluster(folder, 3, 1)) {
            putAll(cluster, 1);
            cluster.target(2).stop();
            eventually(SOON, () -> !allUp(cluster));
            cluster.target(2).start();
            eventually(SOON, () -> allUp(cluster));
            cluster.awaitWhole();
            assertThat(cluster.state().replication().muted()).isEmpty();
            assertThat(cluster.slots().size()).isEqualTo(cluster.group().slots());
        }
    }
}
