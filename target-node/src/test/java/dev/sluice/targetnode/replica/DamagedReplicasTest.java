package dev.sluice.targetnode.replica;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.store.StoreException;
import dev.sluice.testing.Bytes;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What is damaged on one replica comes from another.
class DamagedReplicasTest {
    private static final int SMALL = 500;
    private static final int LARGE = 3_000_000;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(ints = {SMALL, LARGE})
    void damagedObjectOfThePrimaryIsRestoredBeforeItIsAnswered(int size) throws Exception {
        try (var cluster = new ReplicaCluster(folder, 3, 1)) {
            var content = Bytes.random(1, size);
            cluster.put("key", content);
            var primary = cluster.members("key").getFirst();
            primary.damage("key");
            assertThat(Arrays.equals(cluster.get("key").orElseThrow(), content)).isTrue();
            assertThat(primary.has(primary.onlyDrive(), "key", content)).isTrue();
            assertThat(primary.restored()).isEqualTo(1);
        }
    }

    /// As a scrub finds it.
    @Test
    void damagedObjectOfAnyReplicaIsRestored() throws Exception {
        try (var cluster = new ReplicaCluster(folder, 3, 1)) {
            var content = Bytes.random(1, LARGE);
            cluster.putOnEachReplica("key", content);
            var other = cluster.members("key").getLast();
            other.damage("key");
            assertThat(other.store().mend(cluster.bucket(), "key", other.onlyDrive()))
                    .isTrue();
            assertThat(other.has(other.onlyDrive(), "key", content)).isTrue();
        }
    }

    @Test
    void whatIsDamagedOnEachReplicaIsNeverSaidNotToExist() throws Exception {
        try (var cluster = new ReplicaCluster(folder, 3, 1)) {
            cluster.putOnEachReplica("key", Bytes.random(1, LARGE));
            cluster.members("key").forEach(member -> member.damage("key"));
            assertThatThrownBy(() -> cluster.get("key")).isInstanceOf(StoreException.Damaged.class);
            var primary = cluster.members("key").getFirst();
            cluster.network.cut(primary.id, cluster.members("key").getLast().id);
            assertThatThrownBy(() -> primary.get("key")).isInstanceOf(StoreException.Unavailable.class);
        }
    }

    @Test
    void writeThatComesWhileAnObjectIsRestoredWins() throws Exception {
        try (var cluster = new ReplicaCluster(folder, 3, 1)) {
            var newer = Bytes.random(2, LARGE);
            cluster.putOnEachReplica("key", Bytes.random(1, LARGE));
            var primary = cluster.members("key").getFirst();
            var other = cluster.members("key").getLast();
            primary.damage("key");
            var goOn = cluster.network.holdBodies(other.id, primary.id);
            var reading = CompletableFuture.supplyAsync(() -> primary.get("key"));
            eventually(() -> cluster.network.stoppedBodies() > 0);
            cluster.put("key", newer);
            goOn.run();
            assertThat(Arrays.equals(reading.join().orElseThrow(), newer)).isTrue();
            assertThat(Arrays.equals(cluster.get("key").orElseThrow(), newer)).isTrue();
            assertThat(primary.restored()).isZero();
        }
    }

    /// After a loss of power a drive may have the file of an acknowledged write, and not its row.
    @Test
    void fileThatIsNewerThanItsRowIsKept() throws Exception {
        try (var cluster = new ReplicaCluster(folder, 3, 1)) {
            var newer = Bytes.random(2, LARGE);
            cluster.putOnEachReplica("key", Bytes.random(1, LARGE));
            var primary = cluster.members("key").getFirst();
            var other = cluster.members("key").getLast();
            var before = primary.keep("key");
            var beforeAtOther = other.keep("key");
            cluster.putOnEachReplica("key", newer);
            primary.forgetRow("key", before);
            other.forgetRow("key", beforeAtOther);
            other.forgetFile("key", beforeAtOther);
            assertThat(primary.store().mend(cluster.bucket(), "key", primary.onlyDrive()))
                    .isFalse();
            assertThat(Arrays.equals(cluster.get("key").orElseThrow(), newer)).isTrue();
        }
    }

    /// The third replica missed the write.
    @Tag("long")
    @Test
    void learnerGetsWhatIsDamagedAtItsSource() throws Exception {
        try (var cluster = new ReplicaCluster(folder, 3, 1, 3)) {
            var content = Bytes.random(1, LARGE);
            var last = cluster.members("key").getLast();
            last.stop();
            cluster.put("key", content);
            var primary = cluster.members("key").getFirst();
            primary.damage("key");
            last.start();
            cluster.awaitWhole();
            for (var member : cluster.members("key")) {
                assertThat(member.has(member.onlyDrive(), "key", content)).isTrue();
            }
            assertThat(primary.restored()).isEqualTo(1);
        }
    }
}
