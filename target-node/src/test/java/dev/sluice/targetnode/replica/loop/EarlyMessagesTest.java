package dev.sluice.targetnode.replica.loop;

import static dev.sluice.targetnode.replica.membership.FollowedStates.inSync;
import static dev.sluice.targetnode.replica.membership.FollowedStates.row;
import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.targetnode.replica.ReplicaCluster;
import dev.sluice.targetnode.replica.core.Event;
import dev.sluice.targetnode.replica.core.SlotCore;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.Slice;
import dev.sluice.testing.Bytes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Messages that come before the row that they are about.
@Timeout(120)
class EarlyMessagesTest {
    private static final Duration SOON = Duration.ofMillis(600);

    @TempDir
    private Path folder;

    private RecordedLoops loops;
    private final EarlyMessages early = new EarlyMessages();
    private final List<String> done = new ArrayList<>();

    @BeforeEach
    void open() throws Exception {
        loops = new RecordedLoops(folder.resolve("loops"), 1, "d1");
    }

    @AfterEach
    void close() {
        loops.close();
    }

    private LocalReplica replica(int slot) {
        return new LocalReplica(loops.loop("d1"), 1, slot, new SlotCore("d1", 1));
    }

    /// As the drive's loop does it: on its thread.
    private void apply(LocalReplica replica, long epoch) {
        var applied = new CompletableFuture<Void>();
        loops.loop("d1").run(() -> {
            loops.loop("d1").handle(replica, new Event.RowApplied(row(epoch, inSync("d3"), inSync("d1")), false));
            applied.complete(null);
        });
        applied.join();
        early.applied(replica);
    }

    private static Slice slice(long sequence) {
        return new Slice(new ObjectVersion(1, sequence), 2);
    }

    private EarlyMessages.Early message(String name, long epoch, long version, int size) {
        return new EarlyMessages.Early(
                epoch, slice(version), true, size, () -> done.add(name), () -> done.add(name + " dropped"));
    }

    private boolean keep(LocalReplica replica, String name, long epoch) {
        return early.keep(replica, message(name, epoch, 1, 100), 1);
    }

    @Test
    void whatIsEarlyIsHandedInInOrderWithItsRowAndAllElseAtOnce() {
        var replica = replica(1);
        apply(replica, 3);
        assertThat(keep(replica, "of now", 3)).isFalse();
        assertThat(keep(replica, "of before", 2)).isFalse();
        assertThat(keep(replica, "a", 4)).isTrue();
        assertThat(keep(replica, "b", 4)).isTrue();
        assertThat(done).isEmpty();
        apply(replica, 4);
        assertThat(done).containsExactly("a", "b");
        apply(replica, 5);
        assertThat(done).hasSize(2);
        assertThat(early.kept()).isEqualTo(2);
    }

    @Test
    void ofTheNewestEpochOnly() {
        var replica = replica(1);
        apply(replica, 3);
        keep(replica, "a", 4);
        keep(replica, "b", 5);
        assertThat(done).containsExactly("a dropped");
        assertThat(keep(replica, "c", 4)).isTrue();
        assertThat(done).containsExactly("a dropped", "c dropped");
        apply(replica, 4);
        assertThat(done).hasSize(2);
        apply(replica, 6);
        assertThat(done).containsExactly("a dropped", "c dropped", "b dropped");
    }

    @Test
    void notManyAndNotForLong() {
        var one = replica(1);
        var other = replica(2);
        for (int i = 0; i <= EarlyMessages.MOST_OF_A_SLOT; i++) {
            keep(one, "m" + i, 1);
        }
        assertThat(done).containsExactly("m32 dropped");
        early.keep(other, message("large", 1, 2, EarlyMessages.ROOM), 1);
        assertThat(done).containsExactly("m32 dropped", "large dropped");
        early.tick(EarlyMessages.LONGEST.toNanos());
        assertThat(done).hasSize(2);
        early.tick(1 + EarlyMessages.LONGEST.toNanos());
        assertThat(done).hasSize(2 + EarlyMessages.MOST_OF_A_SLOT);
        done.clear();
        early.keep(other, message("large", 1, 2, EarlyMessages.ROOM - 1_000), 1);
        apply(other, 1);
        assertThat(done).as("there is room again").containsExactly("large");
    }

    /// Its bytes are here, and are not brought again while they are.
    @Test
    void writeThatIsSentAgainTakesThePlaceOfTheSameOneOfAnEarlierEpoch() {
        var replica = replica(1);
        early.keep(replica, message("a", 2, 7, 100), 1);
        assertThat(early.replaces(replica, 2, slice(7))).isFalse();
        assertThat(early.replaces(replica, 3, slice(8))).isFalse();
        assertThat(early.replaces(replica, 3, new Slice(slice(7).version(), 1)))
                .as("its bytes are of another position")
                .isFalse();
        assertThat(early.replaces(replica, 3, slice(7))).isTrue();
        early.keep(replica, message("a again", 3, 7, 100), 1);
        apply(replica, 3);
        assertThat(done).containsExactly("a again");
    }

    /// The learner hears of each epoch 300 ms after the primary; the write would be sent again after a second.
    @Test
    void writeUnderWayEndsSoonAfterAnEpochThatAMemberHearsOfLate() throws Exception {
        try (var cluster = new ReplicaCluster(folder.resolve("cluster"), 3, 1)) {
            var shortest = Duration.ofMinutes(1);
            for (int round = 0; round < 3 && shortest.compareTo(SOON) >= 0; round++) {
                var took = fromExpelToTheEnd(cluster);
                shortest = took.compareTo(shortest) < 0 ? took : shortest;
                cluster.heal();
                cluster.awaitWhole();
            }
            assertThat(shortest).as("the shortest of some").isLessThan(SOON);
        }
    }

    private static Duration fromExpelToTheEnd(ReplicaCluster cluster) throws InterruptedException, ExecutionException {
        var key = cluster.keyOf(cluster.target(1));
        var silent = cluster.members(key).getLast();
        var learner = cluster.target(silent == cluster.target(2) ? 3 : 2);
        learner.control.delay(Duration.ofMillis(300));
        long early = learner.earlyMessages();
        cluster.cutOff(silent);
        long cut = System.nanoTime();
        eventually(() -> System.nanoTime() - cut > Duration.ofMillis(300).toNanos());
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var put = threads.submit(() -> {
                cluster.put(key, Bytes.random(cut, 4_000));
                return System.nanoTime();
            });
            eventually(() -> cluster.row(key).member(silent.onlyDrive()).isEmpty());
            long expelled = System.nanoTime();
            var took = Duration.ofNanos(put.get() - expelled);
            assertThat(learner.earlyMessages()).isGreaterThan(early);
            return took;
        } finally {
            learner.control.delay(Duration.ZERO);
        }
    }
}
