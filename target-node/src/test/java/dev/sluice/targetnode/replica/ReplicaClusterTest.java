package dev.sluice.targetnode.replica;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.Bytes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// What a bucket with two replicas goes through while targets and the controller are cut off, fall silent, end and
/// come back.
@Execution(ExecutionMode.CONCURRENT)
class ReplicaClusterTest {
    private static final int MANY = 60;
    private static final List<String> KEYS =
            IntStream.range(0, MANY).mapToObj("key-%d"::formatted).toList();

    @TempDir
    private Path folder;

    /// Small and large ones.
    private static byte[] content(String key, int version) {
        return Bytes.random(31L * key.hashCode() + version, key.hashCode() % 2 == 0 ? 500 : 300_000);
    }

    private static void putAll(ReplicaCluster cluster, int version) {
        KEYS.forEach(key -> cluster.put(key, content(key, version)));
    }

    private static void requireAll(ReplicaCluster cluster, int version) {
        for (var key : KEYS) {
            assertThat(Arrays.equals(cluster.get(key).orElseThrow(), content(key, version)))
                    .as(key)
                    .isTrue();
        }
    }

    /// On each member, not only at the primary.
    private static void requireOnEachReplica(ReplicaCluster cluster, int version) {
        KEYS.forEach(key -> cluster.awaitOnEachReplica(key, content(key, version)));
    }

    @Test
    void acknowledgedObjectsStayWhileATargetIsCutOffAndReturns() throws Exception {
        try (var cluster = new ReplicaCluster(folder, 3, 1)) {
            putAll(cluster, 1);
            cluster.cutOff(cluster.target(3));
            putAll(cluster, 2);
            requireAll(cluster, 2);
            cluster.delete(KEYS.getFirst());
            cluster.heal();
            cluster.awaitWhole();
            assertThat(cluster.get(KEYS.getFirst())).isEmpty();
            cluster.put(KEYS.getFirst(), content(KEYS.getFirst(), 2));
            requireAll(cluster, 2);
            requireOnEachReplica(cluster, 2);
        }
    }

    @Tag("long")
    @Test
    void allThatWasAcknowledgedIsThereAfterEverybodyEnded() throws Exception {
        try (var cluster = new ReplicaCluster(folder, 3, 2)) {
            putAll(cluster, 1);
            cluster.restartEverybody();
            requireAll(cluster, 1);
            cluster.awaitWhole();
            requireOnEachReplica(cluster, 1);
        }
    }

    @Test
    void restartOfTheControllerCostsNoSlotAReplica() throws Exception {
        try (var cluster = new ReplicaCluster(folder, 3, 1)) {
            eventually(cluster::isLoggedAsOpen);
            var before = cluster.slots();
            cluster.restartController();
            cluster.awaitJudgement();
            eventually(cluster::servesEverySlot);
            assertThat(cluster.slots()).isEqualTo(before);
        }
    }

    /// A source that lost its power sends nothing more, and no end either. When it is there again the others go on.
    @Tag("long")
    @Test
    void learnersAreCompleteAlthoughTheirSourceFellSilentInTheMiddle() throws Exception {
        try (var cluster = new ReplicaCluster(folder, 3, 1)) {
            cluster.target(3).stop();
            putAll(cluster, 1);
            cluster.network.breakBodies(cluster.target(1).id, cluster.target(3).id);
            cluster.target(3).start();
            eventually(() -> cluster.network.stoppedBodies() > 0);
            cluster.heal();
            cluster.awaitWhole();
            requireOnEachReplica(cluster, 1);
        }
    }

    @Test
    void aWriteThatAReplicaDoesNotHearOfIsNotAcknowledged() throws Exception {
        try (var cluster = new ReplicaCluster(folder, 3, 1)) {
            var primary = cluster.target(1);
            var key = cluster.keyOf(primary);
            cluster.putOnEachReplica(key, content(key, 1));
            var other = cluster.members(key).getLast();
            cluster.cutOff(other);
            cluster.put(key, content(key, 2));
            assertThat(cluster.row(key).member(other.onlyDrive()))
                    .as("of a row that took the write")
                    .isNotPresent();
            assertThat(other.has(other.onlyDrive(), key, content(key, 1))).isTrue();
        }
    }

    /// Else many writes would fill the room for prepared ones on the other drives.
    @Test
    void theOtherReplicaIsToldOfACommitSoon() throws Exception {
        try (var cluster = new ReplicaCluster(folder, 3, 1)) {
            var shortest = Duration.ofMinutes(1);
            for (var key : KEYS) {
                cluster.put(key, new byte[100]);
                long acknowledged = System.nanoTime();
                var other = cluster.members(key).getLast();
                eventually(() -> other.prepared() == 0);
                var told = Duration.ofNanos(System.nanoTime() - acknowledged);
                shortest = told.compareTo(shortest) < 0 ? told : shortest;
            }
            assertThat(shortest).as("the shortest time of many").isLessThan(Duration.ofMillis(300));
        }
    }
}
