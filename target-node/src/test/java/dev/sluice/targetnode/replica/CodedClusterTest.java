package dev.sluice.targetnode.replica;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.concurrent.Await;
import dev.sluice.common.erasure.ErasureCode;
import dev.sluice.common.erasure.SliceLayout;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.FaultyFiles;
import dev.sluice.targetnode.storage.hotset.StoredObject;
import dev.sluice.targetnode.storage.slots.Lookup;
import dev.sluice.testing.Bytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// A bucket with two data slices and one of parity.
@Timeout(120)
final class CodedClusterTest {
    private static final ErasureCode CODE = ErasureCode.parse("2+1");
    private static final int MIB = 1 << 20;

    /// Of no block, of one, of one stripe and of several; the last block is short or whole.
    private static final List<Integer> SIZES =
            List.of(0, 1, 4_000, 100_000, MIB, MIB + 1, 2 * MIB, 2 * MIB + 70_000, 5 * MIB + 3, 6 * MIB);

    @TempDir
    private Path folder;

    private ReplicaCluster cluster;

    private void start(int targets) throws IOException {
        cluster = ReplicaCluster.coded(folder, targets, CODE.toString());
    }

    @BeforeEach
    void startThree() throws IOException {
        start(3);
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private static byte[] content(int size) {
        return Bytes.random(size, size);
    }

    private void putAll() {
        SIZES.forEach(size -> cluster.put("size-" + size, content(size)));
    }

    private void requireAll() {
        SIZES.forEach(size -> assertThat(
                        Arrays.equals(cluster.get("size-" + size).orElseThrow(), content(size)))
                .as("%d bytes", size)
                .isTrue());
    }

    /// Each member has its slice, and nothing else.
    private void requireSlices() {
        SIZES.forEach(size -> eventually(() -> hasSlices("size-" + size, size)));
    }

    private boolean hasSlices(String key, int size) {
        var layout = new SliceLayout(CODE, size);
        return cluster.row(key).members().stream().allMatch(member -> {
            var file = cluster.owner(member.drive())
                    .drives
                    .getFirst()
                    .resolve("slices/shards")
                    .resolve(key);
            try {
                return Files.exists(file) && Files.size(file) == layout.sliceSize(member.position());
            } catch (IOException gone) {
                return false;
            }
        });
    }

    @Test
    void eachMemberHasASliceAndAnObjectIsReadFromThem() {
        putAll();
        requireAll();
        requireSlices();
        for (int target = 1; target <= 3; target++) {
            assertThat(cluster.target(target).drives.getFirst().resolve("objects"))
                    .isEmptyDirectory();
        }
    }

    @Test
    void anyTargetMayBeLost() {
        putAll();
        requireSlices();
        for (int lost = 1; lost <= 3; lost++) {
            cluster.target(lost).stop();
            requireAll();
            cluster.put("size-" + SIZES.get(lost + 4), content(SIZES.get(lost + 4)));
            cluster.target(lost).start();
            cluster.awaitWhole();
        }
        requireAll();
        requireSlices();
    }

    @Test
    void allIsThereAfterARestart() throws IOException {
        putAll();
        cluster.restartEverybody();
        requireAll();
        requireSlices();
    }

    @Test
    void damagedSliceIsMadeOfOthers() {
        putAll();
        requireSlices();
        for (int size : SIZES) {
            for (var member : cluster.members("size-" + size)) {
                if (member.file("size-" + size).toFile().length() > 0) {
                    member.damage("size-" + size);
                    requireAll();
                    assertThat(member.store().mend(cluster.bucket(), "size-" + size, member.onlyDrive()))
                            .isTrue();
                }
            }
        }
        requireAll();
        requireSlices();
    }

    /// Each stripe has two sound cells.
    @Test
    void soundCellsOfDamagedSlicesAreUsed() {
        var content = content(6 * MIB);
        cluster.put("cells", content);
        eventually(() -> hasSlices("cells", 6 * MIB));
        var members = cluster.members("cells");
        for (int stripe = 0; stripe < 3; stripe++) {
            members.get(stripe).damage("cells", (long) stripe * MIB + 17);
        }
        assertThat(Arrays.equals(cluster.get("cells").orElseThrow(), content)).isTrue();
        for (var member : members) {
            assertThat(member.store().mend(cluster.bucket(), "cells", member.onlyDrive()))
                    .isTrue();
        }
        members.getFirst().stop();
        assertThat(Arrays.equals(cluster.get("cells").orElseThrow(), content)).isTrue();
    }

    /// Its bytes are not waited for where others make them.
    @Test
    void sliceThatDoesNotGoOnIsMadeOfOthers() {
        var content = content(6 * MIB);
        cluster.put("stops", content);
        eventually(() -> hasSlices("stops", 6 * MIB));
        var members = cluster.members("stops");
        cluster.network.breakBodies(members.get(1).id, members.getFirst().id);
        cluster.network.breakBodies(members.get(2).id, members.getFirst().id);
        assertThatThrownBy(() -> members.getFirst().get("stops")).isInstanceOf(StoreException.Unavailable.class);
        cluster.network.heal();
        cluster.network.breakBodies(members.get(1).id, members.getFirst().id);
        long begin = System.nanoTime();
        assertThat(Arrays.equals(members.getFirst().get("stops").orElseThrow(), content))
                .isTrue();
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(5));
    }

    /// Only all of them could say that it is lost: one that opened at last, and then broke off, has not answered.
    @Test
    void objectIsNotLostWhileAMemberHasOnlyBrokenOff() {
        var content = content(6 * MIB);
        cluster.put("late", content);
        eventually(() -> hasSlices("late", 6 * MIB));
        var members = cluster.members("late");
        var primary = members.getFirst();
        primary.damage("late", 17);
        cluster.network.refuseHasty(members.get(2).id, primary.id);
        cluster.network.breakBodies(members.get(2).id, primary.id);
        assertThatThrownBy(() -> primary.get("late")).isInstanceOf(StoreException.Unavailable.class);
        cluster.network.heal();
        assertThat(Arrays.equals(primary.get("late").orElseThrow(), content)).isTrue();
    }

    /// As an answer is sent: what one window has is no reason to begin.
    private static byte[] sent(StoredObject object) {
        var all = ByteBuffer.allocateDirect((int) object.record().size());
        object.willRead(0, all.capacity());
        for (int at = 0; at < all.capacity(); at += MIB) {
            int length = Math.min(MIB, all.capacity() - at);
            if (!object.ready(at, length)) {
                Await.whole(object.prepare(at, length).toCompletableFuture());
            }
            var window = all.slice(at, length);
            if (!object.copy(at, window)) {
                Await.whole(object.fetch(at, window).toCompletableFuture());
            }
        }
        var bytes = new byte[all.capacity()];
        all.get(bytes);
        return bytes;
    }

    private StoredObject found(ReplicaCluster.Target primary, String key) {
        if (!(primary.store().lookup(cluster.bucket(), key) instanceof Lookup.Hit(var object))) {
            throw new AssertionError(key + " is not found");
        }
        return object;
    }

    /// Wrong, or not to be read; of the first block, or within the answer.
    @ParameterizedTest
    @CsvSource({"true, 0", "true, 1", "false, 0", "false, 1"})
    void ownSliceThatIsBadIsMadeOfOthersWhileItIsSent(boolean wrong, int block) {
        var content = content(6 * MIB);
        cluster.put("sent", content);
        eventually(() -> hasSlices("sent", 6 * MIB));
        var primary = cluster.members("sent").getFirst();
        long at = (long) block * MIB;
        if (wrong) {
            primary.damage("sent", at + 17);
        } else {
            primary.fault = untilReplaced("slices/shards/sent", false);
        }
        try (var object = found(primary, "sent")) {
            assertThat(Arrays.equals(sent(object), content)).isTrue();
        }
        primary.fault = (_, _) -> {};
        eventually(() -> primary.restored() == 1);
    }

    @Test
    void answerBeginsOnlyWhereTheOtherSlicesAreThere() {
        var content = content(6 * MIB);
        cluster.put("away", content);
        eventually(() -> hasSlices("away", 6 * MIB));
        var members = cluster.members("away");
        for (var other : members.subList(1, 3)) {
            other.fault = (call, path) -> {
                if (call.equals("open") && path.equals("slices/shards/away")) {
                    throw new IOException("Input/output error");
                }
            };
        }
        try (var object = found(members.getFirst(), "away")) {
            object.willRead(0, 6 * MIB);
            assertThat(object.ready(0, MIB)).isFalse();
            assertThatThrownBy(() -> Await.whole(object.prepare(0, MIB).toCompletableFuture()))
                    .isInstanceOf(StoreException.Unavailable.class);
        }
        try (var object = found(members.getFirst(), "away")) {
            object.willRead(100, 1000);
            Await.whole(object.prepare(100, 1000).toCompletableFuture());
            assertThat(object.ready(100, 1000)).isTrue();
        }
    }

    /// A learner does not depend on the slice of its source.
    @Test
    void learnerMakesItsSliceThoughThatOfThePrimaryIsDamaged() throws IOException {
        var content = content(3 * MIB);
        try (var four = ReplicaCluster.coded(folder.resolve("four"), 4, "2+2")) {
            var members = four.members("learned");
            members.getLast().stop();
            four.put("learned", content);
            members.getFirst().damage("learned", MIB / 2);
            members.getLast().start();
            four.awaitWhole();
            members.get(1).stop();
            assertThat(Arrays.equals(four.get("learned").orElseThrow(), content))
                    .isTrue();
        }
    }

    /// A bad sector: of the bytes alone, or of the record too.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatCannotBeReadIsMadeOfOthersAndALearnerDoesWithoutIt(boolean record) throws IOException {
        var content = content(5 * MIB);
        try (var four = ReplicaCluster.coded(folder.resolve("four"), 4, "2+2")) {
            var members = four.members("bad");
            members.getLast().stop();
            four.put("bad", content);
            var primary = members.getFirst();
            primary.awaitRow("bad");
            primary.fault = untilReplaced("slices/shards/bad", record);
            assertThat(Arrays.equals(four.get("bad").orElseThrow(), content)).isTrue();
            primary.fault = untilReplaced("slices/shards/bad", record);
            members.getLast().start();
            four.awaitWhole();
            members.get(1).stop();
            assertThat(Arrays.equals(four.get("bad").orElseThrow(), content)).isTrue();
        }
    }

    private static FaultyFiles.Fault untilReplaced(String file, boolean record) {
        var replaced = new AtomicBoolean();
        return (call, path) -> {
            if (call.equals("rename")) {
                replaced.set(true);
            } else if (!replaced.get()
                    && path.equals(file)
                    && (call.equals("read") || record && call.equals("attribute"))) {
                throw new IOException("Input/output error");
            }
        };
    }

    @Test
    void deletedObjectIsGoneAndAnOverwrittenOneIsTheNewest() {
        putAll();
        for (int size : SIZES) {
            cluster.delete("size-" + size);
            assertThat(cluster.get("size-" + size)).isEmpty();
        }
        cluster.put("other", content(3 * MIB));
        cluster.put("other", content(MIB + 7));
        assertThat(Arrays.equals(cluster.get("other").orElseThrow(), content(MIB + 7)))
                .isTrue();
        assertThat(hasSlices("other", 3 * MIB)).isFalse();
    }
}
