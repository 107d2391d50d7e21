package dev.sluice.targetnode.storage;

import static dev.sluice.testing.Bytes.random;
import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.peer.DriveScrub;
import dev.sluice.common.peer.ScrubCommand;
import dev.sluice.common.peer.ScrubFinding;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.change.WriteCheck;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.resilver.Resilver;
import dev.sluice.targetnode.storage.resilver.ResilverSettings;
import dev.sluice.targetnode.storage.scrub.ScrubSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Nothing inside a target moves, deletes or mends keys of replicated buckets.
@Timeout(120)
final class ReplicatedKeysTest {
    private static final int KEYS = 40;
    private static final ResilverSettings AT_ONCE = new ResilverSettings(0, Duration.ofMillis(50));

    /// As they were written, and as they are from then on.
    private static final BucketRef WRITTEN = new BucketRef(21, "shards", 2);

    private static final BucketRef REPLICATED = new BucketRef(21, "shards", 2, true);

    @TempDir
    private Path folder;

    private ObjectStore open(int drives) throws IOException {
        return StoreFixture.open(StoreFixture.drives(folder, drives));
    }

    private static void fill(ObjectStore store) {
        for (int i = 0; i < KEYS; i++) {
            StoreFixture.put(store, WRITTEN, "k" + i, random(i, 3000), Durability.FSYNC);
        }
    }

    private Resilver resilver(ObjectStore store, BucketRef bucket) {
        return store.resilver(AT_ONCE, StoreFixture.known(bucket));
    }

    private Map<String, Long> files() throws IOException {
        try (var walk = Files.walk(folder)) {
            var found = new TreeMap<String, Long>();
            for (var file : walk.filter(each -> each.toString().contains("/objects/shards/"))
                    .toList()) {
                found.put(folder.relativize(file).toString(), Files.size(file));
            }
            return found;
        }
    }

    @Test
    void newDriveGetsNoKeysOfReplicatedBucket() throws IOException {
        try (var store = open(2)) {
            fill(store);
            var before = files();
            assertThat(before).hasSize(2 * KEYS);
            try (var _ = resilver(store, REPLICATED)) {
                store.mountpaths().attach(folder.resolve("more").toString());
                eventually(() -> store.table().isSettled(), () -> "the table is settled");
                for (int i = 0; i < KEYS; i++) {
                    assertThat(store.mover().bring(REPLICATED, "k" + i)).isZero();
                }
                assertThat(files()).isEqualTo(before);
            }
        }
    }

    @Test
    void driveWithKeysOfReplicatedBucketIsDetachedOnceTheyAreGone() throws IOException {
        try (var store = open(3);
                var _ = resilver(store, REPLICATED)) {
            fill(store);
            var path = folder.resolve("d1").toString();
            assertThatThrownBy(() -> store.mountpaths().detach(path, false))
                    .isInstanceOf(StoreException.InvalidArgument.class)
                    .hasMessageContaining("has replicas of bucket shards");
            assertThat(store.stats()).noneMatch(DriveStats::leaving);
            for (int i = 0; i < KEYS; i++) {
                assertThat(store.delete(WRITTEN, "k" + i, WriteCheck.NONE, Durability.FSYNC))
                        .isTrue();
            }
            assertThat(store.mountpaths().detach(path, false).known().objects()).isZero();
            eventually(() -> store.stats().size() == 2, () -> "it has left");
        }
    }

    @Test
    void driveWithObjectsOfUnknownBucketIsNotDetached() throws IOException {
        try (var store = open(3);
                var _ = resilver(store, new BucketRef(22, "others"))) {
            fill(store);
            var path = folder.resolve("d1").toString();
            assertThatThrownBy(() -> store.mountpaths().detach(path, false))
                    .isInstanceOf(StoreException.InvalidArgument.class)
                    .hasMessageContaining("bucket number 21, which the cluster does not know");
            store.mountpaths().disable(path);
            assertThat(store.mountpaths().detach(path, true).known().objects()).isPositive();
        }
    }

    /// The bucket may have become a replicated one after the drive began to leave.
    @Test
    void drivesAreNotSettledWhileOneThatLeavesHasKeysOfReplicatedBucket() throws IOException {
        try (var store = open(3)) {
            fill(store);
            var path = folder.resolve("d1").toString();
            var id = store.mountpaths().detach(path, false).id();
            try (var _ = resilver(store, REPLICATED)) {
                var table = store.table();
                assertThat(store.settlement()
                                .settle(table.version(), table.members().keySet()))
                        .hasValueSatisfying(
                                why -> assertThat(why).contains("drive " + id, "has replicas of bucket shards"));
                assertThat(store.stats()).hasSize(3);
            }
        }
    }

    @Test
    void numberOfLocalCopiesOfReplicatedBucketIsNotAdopted() throws IOException {
        try (var store = open(2)) {
            store.adopt(REPLICATED);
            assertThat(store.table().copies()).isEmpty();
            store.adopt(WRITTEN);
            assertThat(store.table().copies()).isNotEmpty();
        }
    }

    @Test
    void damagedReplicaIsMarkedAndItsFileStays() throws IOException {
        try (var store = open(2)) {
            fill(store);
            var file = folder.resolve("d1/objects/shards/k3");
            var bad = random(3, 3000);
            bad[1000] ^= 1;
            Files.write(file, bad);
            var drive = idOf(store, "d1");
            assertThatThrownBy(() -> store.mend(REPLICATED, "k3", drive))
                    .as("only another target has it, and there is none")
                    .isInstanceOf(StoreException.Unavailable.class);
            assertThat(scrub(store)).singleElement().satisfies(found -> {
                assertThat(found.key()).isEqualTo("k3");
                assertThat(found.action()).isEqualTo(ScrubFinding.Action.MARKED);
            });
            assertThat(file).hasBinaryContent(bad);
            assertThat(StoreFixture.get(store, WRITTEN, "k3")).isEqualTo(random(3, 3000));
        }
        assertThat(folder.resolve("d1/objects/shards/k3")).exists();
        try (var store = open(2)) {
            assertThat(store.mend(WRITTEN, "k3", idOf(store, "d1"))).isTrue();
            assertThat(folder.resolve("d1/objects/shards/k3")).hasBinaryContent(random(3, 3000));
        }
    }

    private String idOf(ObjectStore store, String drive) {
        return store.stats().stream()
                .filter(each -> each.path().equals(folder.resolve(drive).toString()))
                .findFirst()
                .orElseThrow()
                .id();
    }

    /// Its repair would copy the other drive's file.
    private static List<ScrubFinding> scrub(ObjectStore store) {
        try (var scrubs = store.scrubs(
                ScrubSettings.OFF,
                StoreFixture.known(REPLICATED),
                (bucket, key, drive, _) ->
                        store.mend(bucket, key, drive) ? Optional.of(ScrubFinding.Action.COPIED) : Optional.empty())) {
            eventually(() -> scrubs.obey(ScrubCommand.STATUS).stream()
                    .noneMatch(drive -> drive.state() == DriveScrub.State.WAITING));
            scrubs.obey(new ScrubCommand(ScrubCommand.Action.START, Optional.empty(), Optional.of(0L)));
            eventually(() -> scrubs.obey(ScrubCommand.STATUS).stream()
                    .allMatch(drive -> drive.state() == DriveScrub.State.IDLE
                            && drive.finishedMillis() > 0
                            && drive.finishedMillis() >= drive.begunMillis()));
            return scrubs.obey(ScrubCommand.STATUS).stream()
                    .flatMap(drive -> drive.latest().stream())
                    .toList();
        }
    }
}
