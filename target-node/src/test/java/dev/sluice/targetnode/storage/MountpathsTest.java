package dev.sluice.targetnode.storage;

import static dev.sluice.targetnode.storage.StoreFixture.BUCKET;
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
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.Insides;
import dev.sluice.targetnode.storage.health.DriveState;
import dev.sluice.targetnode.storage.health.Drives;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.spread.DriveTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Drives that an operator attaches and detaches while the target runs, and those that are replaced under it.
@Timeout(value = 3, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MountpathsTest {
    @TempDir
    private Path folder;

    private static void requireRefused(Runnable call, String... words) {
        assertThatThrownBy(call::run)
                .isInstanceOf(StoreException.InvalidArgument.class)
                .message()
                .contains(words)
                .doesNotContain("\n");
    }

    private static boolean isCurrent(WatchedDrives drives, int drive) {
        return drives.store
                .mountpaths()
                .table()
                .current()
                .has(drives.stats(drive).id());
    }

    private static DriveTable after(CountDownLatch latch, DriveTable table) {
        try {
            latch.await();
            return table;
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    private static void fill(WatchedDrives drives, int objects) {
        for (int i = 0; i < objects; i++) {
            put(drives.store, "k" + i, random(i, 300));
        }
    }

    private static void requireAll(ObjectStore store, int objects) throws IOException {
        for (int i = 0; i < objects; i++) {
            assertThat(get(store, "k" + i)).isEqualTo(random(i, 300));
        }
        assertThat(store.list(BUCKET.id(), "", "", objects + 10)).hasSize(objects);
    }

    @Test
    void anAttachedDriveTakesWritesAtOnceAndSurvivesARestartWithoutBeingConfigured() throws IOException {
        var paths = drives(folder, 1);
        var more = folder.resolve("more");
        try (var drives = new WatchedDrives(paths, HARDLY)) {
            fill(drives, 20);
            drives.store.mountpaths().attach(more.toString());
            assertThat(drives.store.stats())
                    .hasSize(2)
                    .allMatch(stats -> stats.status().state() == DriveState.ONLINE);
            requireAll(drives.store, 20);
            for (int i = 20; i < 60; i++) {
                put(drives.store, "k" + i, random(i, 300));
            }
            requireAll(drives.store, 60);
            assertThat(drives.store.stats()).allMatch(stats -> stats.objects() > 0);
            requireRefused(() -> drives.store.mountpaths().attach(more.toString()), "is attached");
        }
        try (var store = StoreFixture.open(paths)) {
            assertThat(store.stats()).hasSize(2);
            requireAll(store, 60);
        }
    }

    @Test
    void whatCannotBeADriveIsNotAttached() throws IOException {
        try (var drives = new WatchedDrives(drives(folder, 1), HARDLY)) {
            var file = Files.createFile(folder.resolve("file"));
            requireRefused(() -> drives.store.mountpaths().attach(file.toString()), file.toString());
            var other = folder.resolve("other");
            Files.createFile(Files.createDirectories(other.resolve("objects/x")).resolve("key"));
            requireRefused(() -> drives.store.mountpaths().attach(other.toString()), "has objects but no identity");
            assertThat(drives.store.stats()).hasSize(1);
        }
    }

    @Test
    void anEmptyDriveIsDetachedWhenTheTableIsSettledAndMayBeAttachedAgain() throws IOException {
        var paths = drives(folder, 2);
        var second = paths.getLast().toString();
        try (var drives = new WatchedDrives(paths, HARDLY)) {
            var id = drives.stats(1).id();
            var known = drives.store.mountpaths().detach(second, false);
            assertThat(known.id()).isEqualTo(id);
            assertThat(drives.stats(1).leaving()).isTrue();
            assertThat(isCurrent(drives, 1)).isFalse();
            requireRefused(
                    () -> drives.store.mountpaths().detach(paths.getFirst().toString(), false), "the last");
            drives.store.mountpaths().change(DriveTable::settled);
            eventually(() -> drives.store.stats().size() == 1, () -> "it has left");
            eventually(
                    () -> Files.exists(paths.getLast().resolve(".sluice/drive.json.detached")),
                    () -> "its identity is put aside");
            assertThat(paths.getLast().resolve(".sluice/drive.json")).doesNotExist();
        }
        try (var store = StoreFixture.open(paths)) {
            assertThat(store.stats())
                    .as("it was detached, though it is configured")
                    .hasSize(1);
            store.mountpaths().attach(second);
            assertThat(store.stats()).hasSize(2);
        }
        try (var store = StoreFixture.open(paths)) {
            assertThat(store.stats()).hasSize(2);
        }
    }

    /// Settling asks which table it is, and a drive begins to leave before it has changed the table.
    @Test
    void aDriveThatHasJustBegunToLeaveIsNotLetGoWithTheTableOfBefore() throws IOException {
        var more = folder.resolve("more").toString();
        try (var drives = new WatchedDrives(drives(folder, 2), HARDLY)) {
            var mountpaths = drives.store.mountpaths();
            mountpaths.attach(more);
            fill(drives, 60);
            var before = mountpaths.table();
            var leaving = mountpaths.detach(more, false);
            assertThat(leaving.known().objects()).isPositive();
            var late = new Settlement(
                    new Drives(drives.store.drives()::slots, () -> before),
                    mountpaths,
                    drives.store.mover(),
                    new StayingKeys());
            assertThat(late.settle(before.version(), before.members().keySet()))
                    .hasValueSatisfying(why -> assertThat(why).contains("changed meanwhile"));
            assertThat(mountpaths.table().members()).containsKey(leaving.id());
            requireAll(drives.store, 60);
        }
    }

    @Test
    void onlyADriveThatCannotBeReadIsLost() throws IOException {
        var paths = drives(folder, 2);
        try (var drives = new WatchedDrives(paths, CLOSE)) {
            fill(drives, 20);
            var id = drives.stats(0).id();
            long objects = drives.stats(0).objects();
            requireRefused(() -> drives.store.mountpaths().detach(id, true), "is not lost", "without --lost");
            var away = Files.move(paths.getFirst(), folder.resolve("away"));
            drives.awaitState(0, DriveState.OFFLINE);
            eventually(() -> !isCurrent(drives, 0), () -> "it takes no writes");
            requireRefused(() -> drives.store.mountpaths().detach(id, false), "nothing can be moved", "--lost");
            assertThatThrownBy(() -> drives.store.list(BUCKET.id(), "", "", 100))
                    .isInstanceOf(StoreException.Unavailable.class);
            assertThat(drives.store.mountpaths().detach(id, true).known().objects())
                    .isEqualTo(objects);
            drives.store.mountpaths().change(DriveTable::settled);
            assertThat(drives.store.list(BUCKET.id(), "", "", 100)).hasSize(20 - (int) objects);
            eventually(() -> drives.store.stats().size() == 1, () -> "it is forgotten");
            Files.move(away, paths.getFirst());
            requireRefused(
                    () -> drives.store.mountpaths().attach(paths.getFirst().toString()), "empty it first");
        }
    }

    /// Other changes of the drives may take long to record.
    @Test
    void aDriveThatComesBackWhileItIsGivenUpStays() throws Exception {
        var paths = drives(folder, 2);
        var let = new CountDownLatch(1);
        try (var drives = new WatchedDrives(paths, CLOSE);
                var threads = Executors.newSingleThreadExecutor()) {
            fill(drives, 20);
            var id = drives.stats(0).id();
            var mountpaths = drives.store.mountpaths();
            var away = Files.move(paths.getFirst(), folder.resolve("away"));
            drives.awaitState(0, DriveState.OFFLINE);
            eventually(() -> !isCurrent(drives, 0), () -> "it takes no writes");
            var locked = new CountDownLatch(1);
            var change = threads.submit(() -> mountpaths.change(table -> {
                locked.countDown();
                return after(let, table);
            }));
            locked.await();
            var refusal = new CompletableFuture<Throwable>();
            var giving = Thread.ofPlatform().start(() -> {
                try {
                    refusal.completeExceptionally(new AssertionError(mountpaths.detach(id, true)));
                } catch (StoreException refused) {
                    refusal.complete(refused);
                }
            });
            eventually(() -> giving.getState() == Thread.State.WAITING, () -> "it waits for its turn");
            Files.move(away, paths.getFirst());
            drives.awaitState(0, DriveState.ONLINE);
            let.countDown();
            assertThat(refusal.get()).hasMessageContaining("is not lost");
            var _ = change.get();
            eventually(() -> isCurrent(drives, 0), () -> "it takes writes again");
            requireAll(drives.store, 20);
        } finally {
            let.countDown();
        }
    }

    /// What was written without the one that is back was on the drive that was given up.
    @Test
    void objectsOfADriveThatIsBackAreFoundThoughAnotherWasGivenUp() throws Exception {
        var paths = drives(folder, 3);
        try (var drives = new WatchedDrives(paths, CLOSE)) {
            fill(drives, 60);
            var lost = drives.stats(0).id();
            var kept = IntStream.range(0, 60)
                    .filter(i -> !drives.store.drives().of(BUCKET, "k" + i).readable().stream()
                            .map(Drive::id)
                            .toList()
                            .contains(lost))
                    .toArray();
            var away = Files.move(paths.getLast(), folder.resolve("away"));
            drives.awaitState(2, DriveState.OFFLINE);
            eventually(() -> !isCurrent(drives, 2), () -> "it takes no writes");
            Files.move(paths.getFirst(), folder.resolve("lost"));
            drives.awaitState(0, DriveState.OFFLINE);
            eventually(() -> !isCurrent(drives, 0), () -> "nor does this one");
            var _ = drives.store.mountpaths().detach(lost, true);
            Files.move(away, paths.getLast());
            drives.awaitState(2, DriveState.ONLINE);
            eventually(() -> isCurrent(drives, 2), () -> "it is back");
            for (int i : kept) {
                assertThat(get(drives.store, "k" + i)).isEqualTo(random(i, 300));
            }
            assertThat(drives.store.list(BUCKET.id(), "", "", 100)).hasSize(kept.length);
        }
    }

    /// An upload may begin on the drive just before it begins to leave, and take long.
    @Test
    void aDriveIsNotLetGoWithAnUploadThatBeganAfterTheLook() throws IOException {
        var paths = drives(folder, 2);
        try (var drives = new WatchedDrives(paths, HARDLY)) {
            var mountpaths = drives.store.mountpaths();
            var leaving = mountpaths.detach(paths.getLast().toString(), false).id();
            var drive = drives.store.drives().reading().stream()
                    .filter(each -> each.id().equals(leaving))
                    .findFirst()
                    .orElseThrow();
            drives.store.drives().strays(BUCKET, "k", Optional.empty());
            var settlement = new Settlement(
                    drives.store.drives(),
                    mountpaths,
                    (_, _) -> {
                        boolean _ = drive.call(() -> {
                            Insides.index(drive)
                                    .write(new IndexBatch().put(Table.UPLOADS, new byte[] {1}, new byte[0]), true);
                            return true;
                        });
                        return 0;
                    },
                    new StayingKeys());
            assertThat(settlement.settle(
                            mountpaths.table().version(),
                            mountpaths.table().members().keySet()))
                    .hasValueSatisfying(why -> assertThat(why).contains("has unfinished multipart uploads"));
            assertThat(mountpaths.table().members()).containsKey(leaving);
        }
    }

    /// Its plain folder was emptied: the same as another, blank file system at a mount point.
    @Test
    void aDriveThatWasReplacedIsANewOneByItself() throws IOException {
        var paths = drives(folder, 3);
        try (var drives = new WatchedDrives(paths, CLOSE)) {
            fill(drives, 30);
            var id = drives.stats(0).id();
            var away = Files.move(paths.getFirst(), folder.resolve("away"));
            drives.awaitState(0, DriveState.OFFLINE);
            Files.createDirectory(paths.getFirst());
            eventually(
                    () -> drives.store.stats().stream()
                            .anyMatch(stats -> stats.path().isEmpty()),
                    () -> "a new drive is there");
            drives.awaitState(0, DriveState.ONLINE);
            assertThat(drives.stats(0).id()).isNotEqualTo(id);
            eventually(() -> isCurrent(drives, 0), () -> "it takes writes");
            assertThatThrownBy(() -> drives.store.list(BUCKET.id(), "", "", 100))
                    .isInstanceOf(StoreException.Unavailable.class);
            drives.store.mountpaths().attach(away.toString());
            eventually(
                    () -> drives.store.stats().stream()
                            .allMatch(stats -> stats.status().state() == DriveState.ONLINE),
                    () -> "the old one is back, elsewhere: " + drives.store.stats());
            requireAll(drives.store, 30);
        }
        try (var store = StoreFixture.open(paths)) {
            assertThat(store.stats()).hasSize(4);
            requireAll(store, 30);
        }
    }

    @Test
    void aChangeThatCannotBeRecordedIsMadeLater() throws IOException {
        var paths = drives(folder, 2);
        var blocked = paths.getLast().resolve(".sluice/drives.json.new");
        try (var drives = new WatchedDrives(paths, CLOSE)) {
            Files.createDirectories(blocked.resolve("not-empty"));
            var before = drives.store.mountpaths().table();
            var sick = new AtomicBoolean(true);
            drives.fault(0, (call, at) -> {
                if (sick.get() && !call.equals("close")) {
                    throw new IOException("Input/output error");
                }
            });
            drives.awaitState(0, DriveState.OFFLINE);
            assertThatThrownBy(() -> drives.store
                            .mountpaths()
                            .change(table -> table.without(drives.stats(0).id())))
                    .isInstanceOf(StoreException.Unavailable.class);
            assertThat(drives.store.mountpaths().table()).isEqualTo(before);
            FaultRun.remove(blocked);
            eventually(() -> !isCurrent(drives, 0), () -> "the change was not lost");
            sick.set(false);
            eventually(() -> isCurrent(drives, 0), () -> "and back");
        }
    }

    @Test
    void theOnlyDriveStaysCurrentWhateverItsState() throws IOException {
        var paths = drives(folder, 1);
        try (var drives = new WatchedDrives(paths, CLOSE)) {
            put(drives.store, "k", random(1, 100));
            drives.store.mountpaths().disable(drives.stats(0).id());
            assertThat(isCurrent(drives, 0)).isTrue();
            assertThatThrownBy(() -> put(drives.store, "k", random(2, 100)))
                    .isInstanceOf(StoreException.Unavailable.class);
        }
        try (var drives = new WatchedDrives(List.copyOf(paths), CLOSE)) {
            assertThat(drives.state(0)).isEqualTo(DriveState.DISABLED);
            drives.store.mountpaths().enable(paths.getFirst().toString());
            drives.awaitState(0, DriveState.ONLINE);
            assertThat(get(drives.store, "k")).isEqualTo(random(1, 100));
        }
    }
}
