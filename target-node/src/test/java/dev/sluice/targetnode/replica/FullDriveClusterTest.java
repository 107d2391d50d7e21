package dev.sluice.targetnode.replica;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.store.StoreException;
import dev.sluice.testing.Bytes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Four targets with a drive each, of which one has no room when another one's drive fails.
@Timeout(180)
class FullDriveClusterTest {
    private static final int LARGE = 300_000;
    private static final List<String> KEYS =
            IntStream.range(0, 20).mapToObj("key-%d"::formatted).toList();

    @TempDir
    private Path folder;

    private static byte[] content(String key) {
        return Bytes.random(key.hashCode(), key.hashCode() % 2 == 0 ? 500 : LARGE);
    }

    private static Set<Integer> inSync(ReplicaCluster cluster, String drive) {
        var table = cluster.slots();
        return IntStream.range(0, table.size())
                .filter(slot ->
                        table.row(slot).member(drive).filter(Member::inSync).isPresent())
                .boxed()
                .collect(Collectors.toSet());
    }

    @Tag("long")
    @Test
    void otherDrivesTakeOverAndTheFullDriveKeepsItsOwnSlotsOnly() throws Exception {
        try (var cluster = new ReplicaCluster(folder, 4, 1)) {
            KEYS.forEach(key -> cluster.putOnEachReplica(key, content(key)));
            var full = cluster.target(2);
            var before = inSync(cluster, full.onlyDrive());
            full.fillUp();
            cluster.target(3).loseDrive();
            var lost = cluster.target(3).onlyDrive();
            eventually(() -> cluster.slotsThat(row -> row.member(lost).isPresent()) == 0);
            cluster.awaitWhole();
            assertThat(inSync(cluster, full.onlyDrive())).isEqualTo(before);
            KEYS.forEach(key -> assertThat(Arrays.equals(cluster.get(key).orElseThrow(), content(key)))
                    .as(key)
                    .isTrue());
            full.makeRoom();
            eventually(() -> inSync(cluster, full.onlyDrive()).size() > before.size());
        }
    }

    @Test
    void learnerWhoseDriveRunsFullLeavesAndAnotherDriveFinishes() throws Exception {
        try (var cluster = new ReplicaCluster(folder, 4, 1)) {
            var key = cluster.keyOf(cluster.target(1));
            var content = Bytes.random(1, LARGE);
            cluster.putOnEachReplica(key, content);
            var before = cluster.members(key);
            var others = IntStream.rangeClosed(1, 4)
                    .mapToObj(cluster::target)
                    .filter(target -> !before.contains(target))
                    .toList();
            var goOn = others.stream()
                    .map(target -> cluster.network.holdBodies(before.getFirst().id, target.id))
                    .toList();
            before.getLast().loseDrive();
            eventually(() -> cluster.network.stoppedBodies() > 0);
            var full = cluster.members(key).getLast();
            var own = inSync(cluster, full.onlyDrive());
            full.fillUp();
            goOn.forEach(Runnable::run);
            var other = full == others.getFirst() ? others.getLast() : others.getFirst();
            eventually(() -> cluster.members(key).equals(List.of(before.getFirst(), other))
                    && cluster.row(key).inSync().size() == 2);
            assertThat(other.has(other.onlyDrive(), key, content)).isTrue();
            assertThat(inSync(cluster, full.onlyDrive())).containsAll(own);
        }
    }

    /// Small or large: nothing is stored, and the client need not wait for that.
    @Test
    void whatAnInSyncReplicaHasNoRoomForIsRefusedAtOnce() throws Exception {
        try (var cluster = new ReplicaCluster(folder, 2, 1)) {
            var primary = cluster.target(1);
            var key = cluster.keyOf(primary);
            var content = content(key);
            cluster.putOnEachReplica(key, content);
            cluster.target(2).fillUp();
            for (int size : new int[] {500, LARGE}) {
                long began = System.nanoTime();
                assertThatThrownBy(() -> primary.put(key, Bytes.random(7, size)))
                        .isInstanceOf(StoreException.Unavailable.class)
                        .hasMessageContaining("the write was not stored: a replica could not take it");
                assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(15));
                assertThat(cluster.get(key))
                        .hasValueSatisfying(
                                now -> assertThat(Arrays.equals(now, content)).isTrue());
            }
            assertThat(primary.delete(key)).isTrue();
            cluster.target(2).makeRoom();
            cluster.putOnEachReplica(key, content);
        }
    }
}
