package dev.sluice.targetnode.replica;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.slots.Lookup;
import dev.sluice.testing.Bytes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Slices that are lost are made of others, without a command.
@Timeout(180)
final class CodedRepairTest {
    private static final int MIB = 1 << 20;
    private static final List<Integer> SIZES = List.of(4_000, 300_000, 2 * MIB + 70_000, 5 * MIB);
    private static final List<String> KEYS =
            IntStream.range(0, 24).mapToObj("key-%d"::formatted).toList();
    private static final Duration REPAIR = Duration.ofSeconds(90);

    @TempDir
    private Path folder;

    private static byte[] content(String key, int version) {
        int number = key.hashCode() & 0xff;
        return Bytes.random(number * 31L + version, SIZES.get(number % SIZES.size()));
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

    private static void awaitEachRow(ReplicaCluster cluster, Predicate<SlotRow> holds) {
        eventually(REPAIR, () -> cluster.slotsThat(holds) == cluster.group().slots());
    }

    /// Each slot has all its positions in-sync, on drives that are there.
    private static void awaitHealed(ReplicaCluster cluster) {
        awaitEachRow(
                cluster,
                row -> row.positions() == cluster.group().replicas()
                        && row.members().stream().allMatch(member -> cluster.isUsable(member.drive())));
    }

    private static void awaitGone(ReplicaCluster cluster, String drive) {
        awaitEachRow(
                cluster,
                row -> row.member(drive).isEmpty()
                        && row.positions() == cluster.group().replicas());
    }

    private static void wipe(ReplicaCluster.Target target) {
        target.stop();
        try (var files = Files.walk(target.drives.getFirst())) {
            for (var path : files.sorted(Comparator.reverseOrder())
                    .filter(each -> !each.equals(target.drives.getFirst()))
                    .toList()) {
                Files.delete(path);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        target.start();
    }

    @Test
    void wipedDriveIsHealedAndThenTwoOtherTargetsMayBeAway() throws Exception {
        try (var cluster = ReplicaCluster.coded(folder, 6, "4+2")) {
            putAll(cluster, 1);
            wipe(cluster.target(3));
            requireAll(cluster, 1);
            awaitHealed(cluster);
            cluster.target(1).stop();
            cluster.target(2).stop();
            requireAll(cluster, 1);
            eventually(() -> cluster.row("refused").positions() == 4);
            var primary = cluster.owner(cluster.row("refused").primary().drive());
            assertThatThrownBy(() -> primary.put("refused", new byte[10]))
                    .isInstanceOf(StoreException.Unavailable.class)
                    .hasMessageContaining("fewer slices are in-sync now than the 5");
            assertThat(cluster.get("refused")).isEmpty();
            cluster.target(1).start();
            cluster.target(2).start();
            awaitHealed(cluster);
            putAll(cluster, 2);
            requireAll(cluster, 2);
        }
    }

    @Test
    void bytesThatAreFlippedInTwoSlicesAreServedRightAndMended() throws Exception {
        try (var cluster = ReplicaCluster.coded(folder, 6, "4+2")) {
            var content = Bytes.random(1, 9 * MIB);
            cluster.put("flipped", content);
            for (var member : cluster.row("flipped").members()) {
                var target = cluster.owner(member.drive());
                target.awaitRow("flipped");
                if (member.position() == 1 || member.position() == 2) {
                    target.damage("flipped", MIB + 17);
                }
            }
            assertThat(Arrays.equals(cluster.get("flipped").orElseThrow(), content))
                    .isTrue();
            for (var member : cluster.row("flipped").members()) {
                if (member.position() == 1 || member.position() == 2) {
                    eventually(() -> cluster.owner(member.drive()).restored() == 1);
                } else if (member.position() == 0 || member.position() == 3) {
                    cluster.owner(member.drive()).stop();
                }
            }
            assertThat(Arrays.equals(cluster.get("flipped").orElseThrow(), content))
                    .isTrue();
        }
    }

    /// Drives leave their slots and come back to other positions with what they had before.
    @Test
    void drivesThatChangePositionsMakeTheirSlicesAnew() throws Exception {
        try (var cluster = ReplicaCluster.coded(folder, 4, "2+1")) {
            putAll(cluster, 1);
            var third = cluster.target(3).onlyDrive();
            cluster.target(3).takeOut(third);
            awaitGone(cluster, third);
            var second = cluster.target(2).onlyDrive();
            cluster.target(3).bringBack(third);
            cluster.target(2).takeOut(second);
            awaitGone(cluster, second);
            requireAll(cluster, 1);
            wipe(cluster.target(1));
            requireAll(cluster, 1);
            cluster.target(2).bringBack(second);
            awaitHealed(cluster);
            cluster.target(4).stop();
            requireAll(cluster, 1);
        }
    }

    @Test
    void readOfAnObjectThatIsOverwrittenIsOfOneVersionOrBreaksOff() throws Exception {
        try (var cluster = ReplicaCluster.coded(folder, 3, "2+1")) {
            var older = Bytes.random(1, 9 * MIB);
            for (int round = 0; round < 6; round++) {
                var key = "read-" + round;
                cluster.put(key, older);
                if (round % 2 == 1) {
                    cluster.members(key).getLast().awaitRow(key);
                    cluster.members(key).getLast().damage(key);
                }
                var primary = cluster.owner(cluster.row(key).primary().drive());
                if (!(primary.store().lookup(cluster.bucket(), key) instanceof Lookup.Hit(var object))) {
                    throw new AssertionError(key + " is not found");
                }
                try (object) {
                    var read = ByteBuffer.allocate(older.length);
                    object.read(0, read.limit(MIB));
                    cluster.put(key, Bytes.random(2, 9 * MIB));
                    object.read(MIB, read.limit(read.capacity()));
                    assertThat(Arrays.equals(read.array(), older)).isTrue();
                } catch (StoreException brokenOff) {
                    assertThat(brokenOff).isNotNull();
                }
                assertThat(Arrays.equals(cluster.get(key).orElseThrow(), Bytes.random(2, 9 * MIB)))
                        .isTrue();
            }
        }
    }
}
