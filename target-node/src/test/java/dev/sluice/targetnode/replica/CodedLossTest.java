package dev.sluice.targetnode.replica;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.testing.Bytes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// One target loses its index while another is away: two of three slices make each object, and no more is lost.
@Timeout(120)
final class CodedLossTest {
    private static final int MIB = 1 << 20;
    private static final List<Integer> SIZES = List.of(0, 4_000, MIB, 2 * MIB + 70_000, 5 * MIB + 3);

    @TempDir
    private Path folder;

    private ReplicaCluster cluster;
    private ReplicaCluster.Target first;
    private ReplicaCluster.Target second;
    private ReplicaCluster.Target third;
    private String onSecond;
    private String onThird;

    @BeforeEach
    void start() throws IOException {
        cluster = ReplicaCluster.coded(folder, 3, "2+1");
        first = cluster.target(1);
        second = cluster.target(2);
        third = cluster.target(3);
        onSecond = second.onlyDrive();
        onThird = third.onlyDrive();
        for (int size : SIZES) {
            cluster.put("size-" + size, content(size));
            cluster.members("size-" + size).forEach(member -> member.awaitRow("size-" + size));
        }
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private static byte[] content(int size) {
        return Bytes.random(size, size);
    }

    private void requireAll() {
        SIZES.forEach(size -> assertThat(
                        Arrays.equals(cluster.get("size-" + size).orElseThrow(), content(size)))
                .as("%d bytes", size)
                .isTrue());
    }

    private static void loseIndex(ReplicaCluster.Target target) throws IOException {
        try (var files = Files.walk(target.drives.getFirst().resolve(".sluice/index"))) {
            for (var path : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    private boolean isEach(Predicate<SlotRow> holds) {
        return cluster.slotsThat(holds) == cluster.group().slots();
    }

    private boolean isInSync(SlotRow row, String drive) {
        return row.member(drive).filter(Member::inSync).isPresent();
    }

    /// The index that is made of the drive is no proof of all that was acknowledged.
    @Test
    void memberThatIsDownStaysWhereAnotherHasLostItsIndex() throws IOException {
        second.stop();
        loseIndex(second);
        third.stop();
        eventually(() -> !cluster.isUsable(onThird));
        second.start();
        eventually(() -> isEach(row -> !isInSync(row, onSecond)));
        assertThat(isEach(row -> isInSync(row, onThird))).isTrue();
        third.start();
        cluster.awaitWhole();
        requireAll();
        third.stop();
        requireAll();
    }

    private void awaitThirdIsOut() {
        third.stop();
        eventually(() -> isEach(row -> !isInSync(row, onThird)));
    }

    @Test
    void indexIsMadeOfTheDriveWhileAnotherIsAwayAndTheSlotsAreServed() throws IOException {
        awaitThirdIsOut();
        second.stop();
        loseIndex(second);
        second.start();
        requireAll();
        third.start();
        cluster.awaitWhole();
        second.stop();
        requireAll();
    }

    @Test
    void sliceThatWasAcknowledgedAndOnlyPreparedStaysWhereTheIndexIsLost() throws Exception {
        awaitThirdIsOut();
        var key = cluster.keyOf(first);
        var content = content(4 * MIB + 5);
        var may = new CountDownLatch(1);
        first.fault = (call, path) -> {
            if (call.equals("sync") && path.startsWith(".sluice/work/")) {
                try {
                    may.await();
                } catch (InterruptedException interrupted) {
                    throw new IOException(interrupted);
                }
            }
        };
        var put = CompletableFuture.runAsync(() -> first.put(key, content));
        eventually(() -> second.prepared() == 1);
        cluster.network.starve(second.id);
        may.countDown();
        put.join();
        assertThat(second.prepared()).isEqualTo(1);
        second.stop();
        loseIndex(second);
        cluster.network.heal();
        second.start();
        assertThat(Arrays.equals(cluster.get(key).orElseThrow(), content)).isTrue();
        third.start();
        cluster.awaitWhole();
        third.stop();
        assertThat(Arrays.equals(cluster.get(key).orElseThrow(), content)).isTrue();
        requireAll();
    }
}
