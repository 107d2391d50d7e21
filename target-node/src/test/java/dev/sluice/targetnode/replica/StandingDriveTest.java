package dev.sluice.targetnode.replica;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.slots.Member;
import dev.sluice.testing.Bytes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A drive of a bucket with two replicas that hangs while its target runs: the slots of that drive, and only they, go
/// on with others.
@Timeout(180)
class StandingDriveTest {
    private static final Duration SOON = Duration.ofSeconds(10);
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

    @Test
    void slotsOfADriveThatHangsGoOnWithOthers() throws Exception {
        try (var cluster = new ReplicaCluster(folder, 3, 2)) {
            putAll(cluster, 1);
            var target = cluster.target(2);
            var hangs = target.ids().getFirst();
            var other = target.ids().getLast();
            int incarnation = cluster.incarnation(hangs);
            int others = cluster.incarnation(other);
            try (var _ = target.hang(hangs)) {
                eventually(SOON, () -> !cluster.isUsable(hangs));
                putAll(cluster, 2);
                assertThat(cluster.slotsThat(
                                row -> row.inSync().stream().map(Member::drive).anyMatch(hangs::equals)))
                        .as("slots that wait for it")
                        .isZero();
                assertThat(cluster.isUsable(other)).isTrue();
                assertThat(cluster.incarnation(other)).isEqualTo(others);
                KEYS.forEach(key -> assertThat(cluster.get(key)).as(key).hasValue(content(key, 2)));
            }
            eventually(SOON, () -> cluster.isUsable(hangs));
            assertThat(cluster.incarnation(hangs)).isGreaterThan(incarnation);
            cluster.awaitWhole();
            KEYS.forEach(key -> cluster.awaitOnEachReplica(key, content(key, 2)));
        }
    }

    /// Its loop never gets to them.
    @Test
    void bytesOfAWriteThatCameToADriveThatHangsDoNotStay() throws Exception {
        try (var cluster = new ReplicaCluster(folder, 3, 2)) {
            var target = cluster.target(2);
            var hangs = target.ids().getFirst();
            var key = IntStream.iterate(0, i -> i + 1)
                    .mapToObj("large-%d"::formatted)
                    .filter(each ->
                            cluster.row(each).members().getLast().drive().equals(hangs))
                    .findFirst()
                    .orElseThrow();
            var large = Bytes.random(1, 300_000);
            try (var _ = target.hang(hangs)) {
                cluster.put(key, large);
                assertThat(cluster.row(key).member(hangs)).isEmpty();
                assertThat(target.strayStagingFiles(hangs)).isEqualTo(1);
            }
            eventually(SOON, () -> target.strayStagingFiles(hangs) == 0);
            assertThat(cluster.get(key)).hasValue(large);
        }
    }
}
