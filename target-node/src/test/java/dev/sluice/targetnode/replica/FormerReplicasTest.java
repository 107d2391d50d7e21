package dev.sluice.targetnode.replica;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.slots.SlotRow;
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

/// A drive that has lost its slots to others has their objects no more after a while.
@Execution(ExecutionMode.CONCURRENT)
@Timeout(180)
class FormerReplicasTest {
    private static final List<String> KEYS =
            IntStream.range(0, 100).mapToObj("key-%d"::formatted).toList();

    @TempDir
    private Path folder;

    private static byte[] content(int version) {
        return Bytes.random(version, 5000);
    }

    private static long objects(ReplicaCluster.Target target) {
        return target.drive(target.onlyDrive()).store().totals().objects();
    }

    private static boolean isWholeWithout(SlotRow row, String drive) {
        return row.inSync().size() == 2 && row.member(drive).isEmpty();
    }

    private static long rowsWith(ReplicaCluster cluster, List<String> keys, String drive) {
        return keys.stream()
                .filter(key -> cluster.row(key).member(drive).isPresent())
                .count();
    }

    @Test
    void whatADriveHasOfSlotsItLeftIsPurgedAndNothingElse() throws Exception {
        try (var cluster = new ReplicaCluster(folder, 3, 1)) {
            cluster.purgeAfter(Duration.ofSeconds(1));
            var target = cluster.target(1);
            var drive = target.onlyDrive();
            cluster.restartEverybody();
            cluster.awaitWhole();
            KEYS.forEach(key -> cluster.putOnEachReplica(key, content(1)));
            assertThat(rowsWith(cluster, KEYS, drive)).isPositive();
            target.takeOut(drive);
            eventually(() -> KEYS.stream().allMatch(key -> isWholeWithout(cluster.row(key), drive)));
            cluster.put(KEYS.getFirst(), content(2));
            cluster.delete(KEYS.getLast());
            target.bringBack(drive);
            eventually(() -> cluster.isUsable(drive));
            var there = KEYS.subList(0, KEYS.size() - 1);
            for (int number = 1; number <= 3; number++) {
                var each = cluster.target(number);
                eventually(
                        () -> objects(each) == rowsWith(cluster, there, each.onlyDrive()) && each.prepared() == 0,
                        () -> "objects: %d of %d".formatted(objects(each), rowsWith(cluster, there, each.onlyDrive())));
            }
            cluster.awaitWhole();
            assertThat(cluster.get(KEYS.getFirst())).hasValue(content(2));
            assertThat(cluster.get(KEYS.getLast())).isEmpty();
            for (var key : there.subList(1, there.size())) {
                assertThat(cluster.get(key)).as(key).hasValue(content(1));
            }
        }
    }
}
