package dev.sluice.targetnode.replica;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.slots.TargetEntry;
import dev.sluice.common.name.NodeId;
import dev.sluice.targetnode.replica.loop.CopyTurns;
import dev.sluice.testing.Bytes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A target that was expelled returns, and is a learner of most slots at once.
@Timeout(120)
class ReturningTargetTest {
    private static final List<String> KEYS =
            IntStream.range(0, 200).mapToObj("key-%d"::formatted).toList();
    /// On a machine that tests share. Alone it is under 200.
    private static final int MOST_MILLIS = 500;

    private static final int RETURNS = 21;
    private static final int WRITERS = 4;
    private static final Duration PURGE = Duration.ofSeconds(2);
    private static final Duration PAGE = Duration.ofMillis(1);
    private static final Duration CALL = Duration.ofMillis(20);

    @TempDir
    private Path folder;

    private static byte[] content(String key, int version) {
        return Bytes.random(31L * key.hashCode() + version, 500);
    }

    @Test
    void disturbsNobodyAndIsWholeSoon() throws Exception {
        try (var cluster = new ReplicaCluster(folder, 3, 1)) {
            KEYS.forEach(key -> cluster.put(key, content(key, 1)));
            var returning = cluster.target(3);
            var drive = returning.onlyDrive();
            returning.stop();
            eventually(() -> cluster.slotsThat(row -> row.member(drive).isPresent()) == 0);
            KEYS.forEach(key -> cluster.put(key, content(key, 2)));
            cluster.network.slow(CALL);
            cluster.network
                    .listings()
                    .tell(source ->
                            cluster.owner(source).runOnLoop(source, () -> LockSupport.parkNanos(PAGE.toNanos())));
            cluster.network.watchPings();
            returning.start();
            var puts = putsWhileItLearns(cluster, drive);
            cluster.awaitWhole();
            assertThat(cluster.network.listings().most())
                    .as("pages that one source was asked for at once")
                    .isBetween(CopyTurns.MOST_OF_A_SOURCE / 2L, (long) CopyTurns.MOST_OF_A_SOURCE);
            assertThat(cluster.network.longestSilence(returning.id))
                    .as("between two pings that it answered")
                    .isLessThan(Duration.ofMillis(900));
            assertThat(median(puts.ofCopied()))
                    .as(
                            "milliseconds of a PUT of a slot that is copied, of %d",
                            puts.ofCopied().size())
                    .isLessThan(Math.max(MOST_MILLIS, 3 * median(puts.ofOthers())));
            KEYS.forEach(key -> assertThat(cluster.get(key)).contains(content(key, 3)));
        }
    }

    /// Nobody is cut off, so nobody is to be muted.
    @Tag("long")
    @Test
    @Timeout(1800)
    void returnsUnderWritersMuteNobodyAndLeaveNothingOnDrivesWithoutAPart() throws Exception {
        try (var cluster = new ReplicaCluster(folder, 3, 1);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            cluster.purgeAfter(PURGE);
            cluster.restartEverybody();
            KEYS.forEach(key -> cluster.put(key, content(key, 0)));
            var over = new AtomicBoolean();
            var muted = threads.submit(() -> mutedUntil(over, cluster));
            var writers = IntStream.range(0, WRITERS)
                    .mapToObj(writer -> threads.submit(() -> writeUntil(over, cluster, writer)))
                    .toList();
            try {
                for (int round = 0; round < RETURNS; round++) {
                    var target = cluster.target(1 + round % 3);
                    var drive = target.onlyDrive();
                    target.stop();
                    eventually(() -> cluster.slotsThat(row -> row.member(drive).isPresent()) == 0);
                    target.start();
                    cluster.awaitWhole();
                }
            } finally {
                over.set(true);
            }
            assertThat(muted.get()).isEmpty();
            for (int writer = 0; writer < WRITERS; writer++) {
                int last = writers.get(writer).get();
                for (int i = writer; i < KEYS.size(); i += WRITERS) {
                    var key = KEYS.get(i);
                    assertThat(cluster.get(key)).as(key).contains(content(key, last));
                }
            }
            for (int number = 1; number <= 3; number++) {
                requireOnlyItsPart(cluster, cluster.target(number));
            }
        }
    }

    private static void requireOnlyItsPart(ReplicaCluster cluster, ReplicaCluster.Target target) {
        var drive = target.onlyDrive();
        long part = KEYS.stream()
                .filter(key -> cluster.row(key).member(drive).isPresent())
                .count();
        eventually(
                () -> target.drive(drive).store().totals().objects() == part && target.prepared() == 0,
                () -> "%s has %d objects and %d open intents; it has a part in %d"
                        .formatted(
                                target.id, target.drive(drive).store().totals().objects(), target.prepared(), part));
    }

    private static Set<NodeId> mutedUntil(AtomicBoolean over, ReplicaCluster cluster) {
        var muted = new TreeSet<NodeId>();
        while (!over.get()) {
            muted.addAll(cluster.state().replication().muted());
            LockSupport.parkNanos(PAGE.toNanos());
        }
        return muted;
    }

    /// @return the version that each of its keys has
    private static int writeUntil(AtomicBoolean over, ReplicaCluster cluster, int writer) {
        int version = 0;
        while (!over.get()) {
            version++;
            for (int i = writer; i < KEYS.size(); i += WRITERS) {
                cluster.put(KEYS.get(i), content(KEYS.get(i), version));
            }
        }
        return version;
    }

    /// In milliseconds.
    private static long median(Collection<Long> took) {
        return took.stream().sorted().skip(took.size() / 2).findFirst().orElseThrow();
    }

    /// How many milliseconds each PUT took.
    ///
    /// @param ofCopied those of slots of which the drive was a learner
    private record Puts(Queue<Long> ofCopied, Queue<Long> ofOthers) {}

    private static Puts putsWhileItLearns(ReplicaCluster cluster, String drive) throws Exception {
        var puts = new Puts(new ConcurrentLinkedQueue<>(), new ConcurrentLinkedQueue<>());
        var keys = new ConcurrentLinkedQueue<>(KEYS);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var writers = IntStream.range(0, WRITERS)
                    .mapToObj(_ -> threads.submit(() -> {
                        for (var key = keys.poll(); key != null; key = keys.poll()) {
                            timedPut(cluster, drive, key, puts);
                        }
                        return true;
                    }))
                    .toList();
            for (var writer : writers) {
                assertThat(writer.get()).isTrue();
            }
        }
        return puts;
    }

    private static void timedPut(ReplicaCluster cluster, String drive, String key, Puts puts) {
        boolean learns = cluster.row(key)
                .member(drive)
                .filter(member -> !member.inSync())
                .isPresent();
        long began = System.nanoTime();
        cluster.put(key, content(key, 3));
        (learns ? puts.ofCopied() : puts.ofOthers()).add(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
        assertThat(cluster.state().replication().targets().values()).noneMatch(TargetEntry::muted);
    }
}
