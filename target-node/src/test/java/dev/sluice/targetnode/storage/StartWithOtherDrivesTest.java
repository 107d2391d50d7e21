package dev.sluice.targetnode.storage;

import static dev.sluice.targetnode.storage.StoreFixture.BUCKET;
import static dev.sluice.targetnode.storage.StoreFixture.config;
import static dev.sluice.targetnode.storage.StoreFixture.drives;
import static dev.sluice.targetnode.storage.StoreFixture.get;
import static dev.sluice.targetnode.storage.StoreFixture.put;
import static dev.sluice.targetnode.storage.WatchedDrives.CLOSE;
import static dev.sluice.targetnode.storage.WatchedDrives.HARDLY;
import static dev.sluice.testing.Bytes.random;
import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.attach.DriveRefusedException;
import dev.sluice.targetnode.storage.health.DriveState;
import dev.sluice.targetnode.storage.slots.Lookup;
import dev.sluice.targetnode.storage.spread.DriveTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Starts of a target some of whose drives are missing, wiped, replaced or elsewhere.
@Timeout(value = 3, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StartWithOtherDrivesTest {
    @TempDir
    private Path folder;

    /// A store with one object on each drive, stopped in order.
    private List<Path> used(int count) throws IOException {
        var paths = drives(folder, count);
        try (var drives = new WatchedDrives(paths, HARDLY)) {
            for (int i = 0; i < count; i++) {
                put(drives.store, drives.key(i, 0), random(i, 100));
            }
        }
        return paths;
    }

    /// What a kill leaves is what an orderly end leaves, without its mark.
    private static void killed(List<Path> drives) throws IOException {
        for (var drive : drives) {
            Files.delete(drive.resolve(".sluice/closed.json"));
        }
    }

    private static Path away(Path drive) throws IOException {
        return Files.move(drive, drive.resolveSibling(drive.getFileName() + "-away"));
    }

    private static String idAt(Path drive) throws IOException {
        return Files.readString(drive.resolve(".sluice/drive.json"))
                .lines()
                .filter(line -> line.contains("\"id\""))
                .map(line -> line.replaceAll(".*: \"(.*)\",?", "$1"))
                .findFirst()
                .orElseThrow();
    }

    private static Optional<DriveStats> stats(ObjectStore store, String id) {
        return store.stats().stream().filter(stats -> stats.id().equals(id)).findFirst();
    }

    private static List<DriveState> states(ObjectStore store) {
        return store.stats().stream().map(stats -> stats.status().state()).toList();
    }

    /// Neither there nor not there.
    private static void requireUnknown(ObjectStore store, String key) {
        try {
            assertThat(store.lookup(BUCKET, key)).isInstanceOf(Lookup.Unknown.class);
        } catch (StoreException.Unavailable unavailable) {
            assertThat(unavailable).hasMessageContaining("drive");
        }
        assertThatThrownBy(() -> store.list(BUCKET.id(), "", "", 10)).isInstanceOf(StoreException.Unavailable.class);
    }

    private static void requireRefused(StoreConfig config, String... words) {
        assertThatThrownBy(() -> ObjectStore.open(config).close())
                .isInstanceOf(DriveRefusedException.class)
                .message()
                .contains(words)
                .doesNotContain("\n");
    }

    @Test
    void oneOfThreeMayBeMissingAndComesBack() throws IOException {
        var paths = used(3);
        killed(paths);
        var away = away(paths.getFirst());
        var id = idAt(away);
        try (var drives = new WatchedDrives(paths, CLOSE)) {
            assertThat(drives.store.ready()).isTrue();
            assertThat(drives.state(0)).isEqualTo(DriveState.OFFLINE);
            assertThat(drives.reason(0)).contains("is its disk mounted?");
            var key = drives.key(0, 0);
            requireUnknown(drives.store, key);
            assertThat(get(drives.store, drives.key(1, 0))).isEqualTo(random(1, 100));
            eventually(() -> !drives.store.mountpaths().table().current().has(id), () -> "it is not current");
            put(drives.store, drives.key(0, 1), random(7, 100)); // elsewhere
            assertThat(paths.getFirst()).doesNotExist();
            Files.move(away, paths.getFirst());
            drives.awaitState(0, DriveState.ONLINE);
            eventually(() -> drives.store.mountpaths().table().current().has(id), () -> "it is current again");
            assertThat(get(drives.store, key)).isEqualTo(random(0, 100));
            assertThat(get(drives.store, drives.key(0, 1))).isEqualTo(random(7, 100));
        }
    }

    @Test
    void oneThatCannotBeReadIsMissingToo() throws IOException {
        var paths = used(3);
        var identity = paths.getFirst().resolve(".sluice/drive.json");
        var good = Files.readString(identity);
        Files.writeString(identity, good.replace("target001", "target009"));
        try (var drives = new WatchedDrives(paths, HARDLY)) {
            assertThat(drives.state(0)).isEqualTo(DriveState.OFFLINE);
            assertThat(drives.reason(0)).contains("drive.json is damaged");
        }
        Files.writeString(identity, good);
        try (var store = StoreFixture.open(paths)) {
            assertThat(states(store)).containsOnly(DriveState.ONLINE);
        }
    }

    /// Some drive has gone on without the one that is there now.
    @Test
    void whatMayBeOldIsNotServed() throws IOException {
        var paths = used(2);
        killed(paths);
        var away = away(paths.getFirst());
        var id = idAt(away);
        requireRefused(
                config(paths), id, "lost = [\"" + id + "\"]", paths.getFirst().toString());
        requireRefused(StoreFixture.settings(paths).lost(Set.of("dnever")).build(), id);
        try (var store =
                ObjectStore.open(StoreFixture.settings(paths).lost(Set.of(id)).build())) {
            assertThat(states(store)).containsExactly(DriveState.ONLINE);
            store.mountpaths().change(DriveTable::settled);
            assertThat(store.list(BUCKET.id(), "", "", 10)).isNotEmpty();
        }
        Files.move(away, paths.getFirst());
        try (var store = StoreFixture.open(paths)) {
            assertThat(states(store)).as("what was given up is not taken again").containsExactly(DriveState.ONLINE);
        }
    }

    @Test
    void aStopInOrderKnowsThatNothingIsOld() throws IOException {
        var paths = used(2);
        var away = away(paths.getFirst());
        try (var drives = new WatchedDrives(paths, CLOSE)) {
            assertThat(drives.state(0)).isEqualTo(DriveState.OFFLINE);
            assertThat(get(drives.store, drives.key(1, 0))).isEqualTo(random(1, 100));
            Files.move(away, paths.getFirst());
            drives.awaitState(0, DriveState.ONLINE);
            assertThat(paths.getFirst().resolve(".sluice/closed.json")).doesNotExist();
            assertThat(paths.getLast().resolve(".sluice/closed.json")).doesNotExist();
        }
        assertThat(paths.getLast().resolve(".sluice/closed.json")).exists();
    }

    @Test
    void aDriveIsKnownWhereverItIs() throws IOException {
        var paths = used(3);
        var id = idAt(paths.getFirst());
        var moved = Files.move(paths.getFirst(), folder.resolve("elsewhere"));
        try (var drives = new WatchedDrives(List.of(moved, paths.get(1), paths.get(2)), HARDLY)) {
            assertThat(drives.stats(0).id()).isEqualTo(id);
            assertThat(get(drives.store, drives.key(0, 0))).isEqualTo(random(0, 100));
            assertThat(drives.store.list(BUCKET.id(), "", "", 10)).hasSize(3);
        }
        try (var store = StoreFixture.open(paths.subList(1, 3))) { // the table remembers where it is
            assertThat(stats(store, id)).hasValueSatisfying(stats -> {
                assertThat(stats.path()).isEqualTo(moved.toString());
                assertThat(stats.status().state()).isEqualTo(DriveState.ONLINE);
            });
        }
    }

    @Test
    void aWipedDriveIsANewOneAndTheOldOneIsMissedUntilItIsGivenUp() throws IOException {
        var paths = used(3);
        var id = idAt(paths.getFirst());
        killed(paths);
        FaultRun.remove(paths.getFirst());
        Files.createDirectory(paths.getFirst());
        try (var drives = new WatchedDrives(paths, HARDLY)) {
            assertThat(drives.state(0)).isEqualTo(DriveState.ONLINE);
            assertThat(drives.stats(0).id()).isNotEqualTo(id).isEqualTo(idAt(paths.getFirst()));
            assertThat(stats(drives.store, id)).hasValueSatisfying(stats -> {
                assertThat(stats.path()).isEmpty();
                assertThat(stats.status().reason()).contains("another drive took the place");
            });
            assertThatThrownBy(() -> drives.store.list(BUCKET.id(), "", "", 10))
                    .isInstanceOf(StoreException.Unavailable.class);
            assertThat(drives.store.mountpaths().detach(id, true).id()).isEqualTo(id);
            drives.store.mountpaths().change(DriveTable::settled);
            assertThat(drives.store.list(BUCKET.id(), "", "", 10)).hasSize(2);
            eventually(() -> stats(drives.store, id).isEmpty(), () -> "it is forgotten");
        }
        try (var store = StoreFixture.open(paths)) {
            assertThat(states(store)).hasSize(3).containsOnly(DriveState.ONLINE);
        }
    }

    @Test
    void aPathMoreIsANewDriveAndOneLessIsStillLookedAt() throws IOException {
        var paths = used(2);
        var more = Files.createDirectory(folder.resolve("more"));
        try (var drives = new WatchedDrives(List.of(paths.get(0), paths.get(1), more), HARDLY)) {
            assertThat(states(drives.store)).hasSize(3).containsOnly(DriveState.ONLINE);
            var before = drives.store.list(BUCKET.id(), "", "", 10);
            assertThat(before).hasSize(2);
            var another = IntStream.range(0, 3) // keys of before may lie on the new drive now
                    .mapToObj(n -> drives.key(2, n))
                    .filter(key ->
                            before.stream().noneMatch(entry -> entry.key().equals(key)))
                    .findFirst()
                    .orElseThrow();
            put(drives.store, another, random(2, 100));
            assertThat(drives.store.mountpaths().formedWeight())
                    .isEqualTo(drives.stats(0).weight() + drives.stats(1).weight());
        }
        try (var store = StoreFixture.open(paths)) {
            assertThat(states(store)).hasSize(3).containsOnly(DriveState.ONLINE);
            assertThat(store.list(BUCKET.id(), "", "", 10)).hasSize(3);
        }
    }

    @Test
    void aDriveWithObjectsButWithoutIdentityIsNotTakenForABlankOne() throws IOException {
        var paths = used(3);
        Files.delete(paths.getFirst().resolve(".sluice/drive.json"));
        try (var drives = new WatchedDrives(paths, HARDLY)) {
            assertThat(drives.state(0)).isEqualTo(DriveState.OFFLINE);
            assertThat(drives.reason(0)).contains("has objects but no identity");
        }
    }

    @Test
    void theNewestUndamagedCopyOfTheTableCounts() throws IOException {
        var paths = used(3);
        var table = paths.getFirst().resolve(".sluice/drives.json");
        var old = Files.readString(paths.getLast().resolve(".sluice/drives.json"));
        var more = Files.createDirectory(folder.resolve("more"));
        try (var store = StoreFixture.open(List.of(paths.get(0), paths.get(1), paths.get(2), more))) {
            assertThat(states(store)).hasSize(4);
        }
        Files.writeString(table, Files.readString(table).replace("\"current\"", "\"currant\""));
        Files.writeString(paths.getLast().resolve(".sluice/drives.json"), old);
        try (var store = StoreFixture.open(paths)) {
            assertThat(states(store)).hasSize(4).containsOnly(DriveState.ONLINE);
        }
        assertThat(Files.readString(table)).as("the damaged copy is mended").contains(idAt(more), "\"current\"");
    }
}
