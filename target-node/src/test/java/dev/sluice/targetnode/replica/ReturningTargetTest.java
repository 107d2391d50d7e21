package dev.sluice.targetnode.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.slots.TargetEntry;
import dev.sluice.targetnode.coldfill.TargetFixture;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A target that was expelled returns, and is a learner of most slots at once.
@Timeout(120)
class ReturningTargetTest {
    private static final List<String> KEYS =
            IntStream.range(0, 200).mapToObj("key-%d"::formatted).toList();
    private static final Duration PAGE = Duration.ofMillis(1);
    private static final Duration CALL = Duration.ofMillis(20);

    @TempDir
    private Path folder;

    private static byte[] content(String key, int version) {
        return TargetFixture.random(31L * key.hashCode() + version, 500);
    }

    @Test
    void disturbsNobodyAndIsWholeSoon() throws Exception {
        try (var cluster = new ReplicaCluster(folder, 3, 1)) {
            KEYS.forEach(key -> cluster.put(key, content(key, 1)));
            var returning = cluster.target(3);
            var drive = returning.onlyDrive();
            returning.stop();
            ReplicaCluster.eventually(
                    () -> cluster.slotsThat(row -> row.member(drive).isPresent()) == 0);
            KEYS.forEach(key -> cluster.put(key, content(key, 2)));
            cluster.network.slow(CALL);
            cluster.network
                    .listings()
                    .tell(source ->
                            cluster.owner(source).runOnLoop(source, () -> LockSupport.parkNanos(PAGE.toNanos())));
            returning.start();
            var puts = putsWhileItLearns(cluster, drive);
            cluster.awaitWhole();
            assertThat(cluster.network.listings().most())
                    .as("pages that one source was asked for at once")
                    .isBetween(CopyTurns.MOST_OF_A_SOURCE / 2L, (long) CopyTurns.MOST_OF_A_SOURCE);
            assertThat(puts).isNotEmpty();
            assertThat(puts.get(puts.size() / 2))
                    .as("milliseconds of a PUT of a slot that is copied, the median of %d", puts.size())
                    .isLessThan(200);
            KEYS.forEach(key -> assertThat(cluster.get(key)).contains(content(key, 3)));
        }
    }

    /// @return how many milliseconds each PUT took of a slot of which the drive was a learner, in order of that
    private static List<Long> putsWhileItLearns(ReplicaCluster cluster, String drive) {
        var took = new ArrayList<Long>();
        for (var key : KEYS) {
            boolean learns = cluster.row(key)
                    .member(drive)
                    .filter(member -> !member.inSync())
                    .isPresent();
            long began = System.nanoTime();
            cluster.put(key, content(key, 3));
            if (learns) {
                took.add(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
            }
            assertThat(cluster.state().replication().targets().values()).noneMatch(TargetEntry::muted);
        }
        return took.stream().sorted().toList();
    }
}
