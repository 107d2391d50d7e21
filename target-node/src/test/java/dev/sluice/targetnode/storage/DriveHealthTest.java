package dev.sluice.targetnode.storage;

import static dev.sluice.targetnode.storage.FaultyFiles.failing;
import static dev.sluice.targetnode.storage.StoreFixture.BUCKET;
import static dev.sluice.targetnode.storage.StoreFixture.delete;
import static dev.sluice.targetnode.storage.StoreFixture.drives;
import static dev.sluice.targetnode.storage.StoreFixture.get;
import static dev.sluice.targetnode.storage.StoreFixture.open;
import static dev.sluice.targetnode.storage.StoreFixture.put;
import static dev.sluice.targetnode.storage.WatchedDrives.CLOSE;
import static dev.sluice.targetnode.storage.WatchedDrives.HARDLY;
import static dev.sluice.testing.Bytes.random;
import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.concurrent.Await;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.drive.KeptWritesMark;
import dev.sluice.targetnode.storage.health.DriveState;
import dev.sluice.targetnode.storage.health.HealthSettings;
import dev.sluice.targetnode.storage.index.DamagedIndexException;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.slots.Lookup;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Drives that fail under a running store: out, read-only, back by themselves; the others go on.
@Timeout(value = 3, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DriveHealthTest {
    /// The intents of smaller ones make them durable, without a sync of their own.
    private static final int LARGE = 100_000;
    private static final int ROUNDS_UNDER_LOAD = System.getProperty("long") == null ? 1 : 3;

    @TempDir
    private Path folder;

    private WatchedDrives watched(int count, HealthSettings health) throws IOException {
        return new WatchedDrives(drives(folder, count), health);
    }

    private static FaultyFiles.Fault failingOnce(String call, AtomicInteger calls) {
        return (its, at) -> {
            if (its.equals(call) && !at.contains("probe-") && calls.getAndIncrement() == 0) {
                throw new IOException("Input/output error");
            }
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"open", "attribute", "create", "write", "setAttribute", "rename"})
    void anErrorBesideSoundProbesIsCountedAndNoMore(String call) throws IOException {
        try (var drives = watched(1, CLOSE)) {
            put(drives.store, "k", random(1, 50));
            drives.fault(0, failingOnce(call, new AtomicInteger()));
            assertThatThrownBy(() -> {
                        get(drives.store, "k");
                        put(drives.store, "k", random(2, 50));
                    })
                    .isInstanceOf(StoreException.DriveFailed.class);
            long probes = drives.stats(0).probes();
            drives.awaitProbes(0, 2);
            assertThat(drives.stats(0).probes()).isGreaterThan(probes);
            assertThat(drives.state(0)).isEqualTo(DriveState.ONLINE);
            assertThat(drives.stats(0).errors()).isEqualTo(1);
            assertThat(drives.stats(0).suspect())
                    .hasValueSatisfying(what -> assertThat(what).contains("Input/output error"));
            assertThat(get(drives.store, "k")).isEqualTo(random(1, 50));
            put(drives.store, "k", random(3, 50));
            assertThat(get(drives.store, "k")).isEqualTo(random(3, 50));
        }
    }

    /// What the kernel has not written yet may be lost. The next process could not see that.
    @Test
    void failedDriveLosesItsMarkAlsoAfterItIsBack() throws IOException {
        try (var drives = new WatchedDrives(drives(folder, 1), CLOSE)) {
            var first = mark(drives);
            first.put();
            assertThat(mark(drives).isThere()).isTrue();
            drives.fault(0, failing("sync", ""));
            assertThatThrownBy(() -> put(drives.store, "k", random(2, LARGE))).isInstanceOf(StoreException.class);
            assertThat(first.isThere()).isFalse();
            drives.sound(0);
            drives.awaitState(0, DriveState.ONLINE);
            first.put();
            assertThat(mark(drives).isThere()).isFalse();
        }
    }

    /// Otherwise each restart would cost a comparison with other replicas, and the slots their last in-sync one if two
    /// targets restart one after the other.
    @Test
    void healthyDriveKeepsItsMarkWhenItsTargetStopsInOrder() throws IOException {
        var paths = drives(folder, 1);
        try (var drives = new WatchedDrives(paths, HARDLY)) {
            mark(drives).put();
        }
        try (var drives = new WatchedDrives(paths, HARDLY)) {
            assertThat(mark(drives).isThere()).isTrue();
            mark(drives).remove();
        }
        try (var drives = new WatchedDrives(paths, HARDLY)) {
            assertThat(mark(drives).isThere()).isFalse();
        }
    }

    private static KeptWritesMark mark(WatchedDrives drives) {
        return drives.store.drives().slots().getFirst().writable().orElseThrow().keptWrites();
    }

    /// R10. The probe's own sync is sound, so that only the failed one can be the reason.
    @ParameterizedTest
    @ValueSource(ints = {LARGE, 3_000_000})
    void aFailedSyncIsNotTriedAgainNotAcknowledgedAndTakesTheDriveOut(int size) throws IOException {
        var paths = drives(folder, 2);
        try (var drives = new WatchedDrives(paths, HARDLY)) {
            var bad = drives.key(0, 0);
            var good = drives.key(1, 0);
            put(drives.store, bad, random(1, 50));
            put(drives.store, good, random(2, 50));
            assertThat(get(drives.store, bad)).hasSize(50); // it is hot
            var syncs = new AtomicInteger();
            drives.fault(0, (call, path) -> {
                if (call.equals("sync")) {
                    syncs.incrementAndGet();
                    throw new IOException("Input/output error");
                }
            });
            assertThatThrownBy(() -> put(drives.store, bad, random(3, size))).isInstanceOf(StoreException.class);
            drives.sound(0);
            assertThat(syncs).hasValue(1);
            assertThat(drives.state(0)).isEqualTo(DriveState.OFFLINE);
            assertThat(drives.reason(0)).contains("sync of");
            drives.requireUnavailable(0, bad);
            assertThat(get(drives.store, good)).isEqualTo(random(2, 50));
            put(drives.store, good, random(4, 50));
            assertThat(drives.state(1)).isEqualTo(DriveState.ONLINE);
        }
        try (var store = open(paths);
                var files = Files.list(paths.getFirst().resolve(".sluice/work"))) {
            assertThat(store.list(BUCKET.id(), "", "", 10)).hasSize(2);
            assertThat(files).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"file", "folder", "index"})
    void aDriveWithAnUnknownOutcomeComesBackByItselfOpenedAnew(String what) throws IOException {
        try (var drives = watched(2, CLOSE)) {
            var bad = drives.key(0, 0);
            var good = drives.key(1, 0);
            put(drives.store, bad, random(1, 50));
            put(drives.store, good, random(2, 50));
            var calls = new AtomicInteger();
            switch (what) {
                case "file" -> drives.fault(0, failingOnce("sync", calls));
                case "folder" -> drives.fault(0, failing("syncFolder", "work"));
                default -> drives.indexFault(failingOnce("write", calls));
            }
            assertThatThrownBy(() -> put(drives.store, bad, random(3, LARGE))).isInstanceOf(StoreException.class);
            if (what.equals("folder")) {
                drives.awaitProbes(0, 5);
                assertThat(drives.state(0)).isEqualTo(DriveState.OFFLINE); // as long as its probes fail
                drives.requireUnavailable(0, bad);
                assertThat(get(drives.store, good)).isEqualTo(random(2, 50));
                drives.sound(0);
            }
            drives.awaitState(0, DriveState.ONLINE);
            assertThat(drives.stats(0).errors()).isPositive();
            assertThat(get(drives.store, bad)).isIn(random(1, 50), random(3, LARGE));
            put(drives.store, bad, random(4, 50));
            assertThat(get(drives.store, bad)).isEqualTo(random(4, 50));
            assertThat(drives.store.list(BUCKET.id(), "", "", 10)).hasSize(2);
        }
        try (var store = open(drives(folder, 2))) {
            assertThat(store.list(BUCKET.id(), "", "", 10)).hasSize(2);
        }
    }

    @Test
    void aFileSystemThatTurnsReadOnlyIsReadUntilItIsWritableAgain() throws IOException {
        try (var drives = watched(2, CLOSE)) {
            var key = drives.key(0, 0);
            put(drives.store, key, random(1, 50));
            drives.fault(0, (call, _) -> {
                if (List.of("create", "edit", "write", "setAttribute", "rename", "delete")
                        .contains(call)) {
                    throw new IOException("Read-only file system");
                }
            });
            assertThatThrownBy(() -> put(drives.store, key, random(2, 50)))
                    .isInstanceOf(StoreException.DriveFailed.class);
            drives.awaitState(0, DriveState.READ_ONLY);
            assertThat(drives.reason(0)).contains("Read-only file system");
            assertThat(get(drives.store, key)).isEqualTo(random(1, 50));
            drives.awaitCurrent(0, false);
            put(drives.store, key, random(4, 50)); // on the other
            assertThat(get(drives.store, key)).isEqualTo(random(4, 50));
            assertThat(drives.store.list(BUCKET.id(), "", "", 10)).hasSize(1);
            put(drives.store, drives.key(1, 0), random(3, 50));
            long errors = drives.stats(0).errors();
            Files.createFile(drives.paths.getFirst().resolve(".sluice/trash/8.objects"));
            drives.awaitProbes(0, 60); // longer than the tidying thread ever waits
            assertThat(drives.state(0)).isEqualTo(DriveState.READ_ONLY);
            assertThat(drives.stats(0).errors())
                    .as("nothing is tidied meanwhile")
                    .isEqualTo(errors);
            drives.sound(0);
            drives.awaitState(0, DriveState.ONLINE);
            drives.awaitCurrent(0, true);
            assertThat(get(drives.store, key)).isEqualTo(random(4, 50));
            put(drives.store, key, random(2, 50));
        }
    }

    @Test
    void aDriveThatIsGoneIsUnavailableAndNothingIsMadeInItsPlace() throws IOException {
        try (var drives = watched(2, CLOSE)) {
            var keys = new ArrayList<String>();
            for (int i = 0; i < 20; i++) {
                keys.add(drives.key(0, i));
                put(drives.store, keys.get(i), random(i, 1000));
            }
            get(drives.store, keys.getFirst());
            var path = drives.paths.getFirst();
            var away = path.resolveSibling("away");
            Files.move(path, away);
            for (var key : keys.subList(1, 20)) {
                assertThatThrownBy(() -> get(drives.store, key))
                        .isInstanceOfAny(StoreException.DriveFailed.class, StoreException.Unavailable.class);
            }
            drives.awaitState(0, DriveState.OFFLINE);
            drives.awaitProbes(0, 2);
            assertThat(drives.reason(0)).contains("is its disk mounted?");
            drives.requireUnavailable(0, keys.getFirst());
            put(drives.store, drives.key(1, 0), random(1, 10));
            assertThat(path).doesNotExist();

            Files.move(away, path);
            drives.awaitState(0, DriveState.ONLINE);
            for (int i = 0; i < 20; i++) {
                assertThat(get(drives.store, keys.get(i))).isEqualTo(random(i, 1000));
            }
            put(drives.store, keys.getFirst(), random(99, 10));
        }
    }

    @Test
    void anotherDriveInItsPlaceIsNotTaken() throws IOException {
        var other = folder.resolve("other");
        open(List.of(Files.createDirectory(other))).close();
        try (var drives = watched(2, CLOSE)) {
            var key = drives.key(0, 0);
            put(drives.store, key, random(1, 50));
            var path = drives.paths.getFirst();
            var away = path.resolveSibling("away");
            Files.move(path, away);
            Files.move(other, path);
            drives.awaitState(0, DriveState.OFFLINE);
            drives.awaitProbes(0, 5);
            assertThat(drives.reason(0)).contains("another drive is mounted at " + path);
            drives.requireUnavailable(0, key);
            Files.move(path, other);
            Files.move(away, path);
            drives.awaitState(0, DriveState.ONLINE);
            assertThat(get(drives.store, key)).isEqualTo(random(1, 50));
        }
        open(List.of(other)).close();
    }

    /// Before any probe has seen it: what would be written to a drive that is not ours is not acknowledged.
    @Test
    void nothingIsAcknowledgedOnAnotherDrive() throws IOException {
        var other = folder.resolve("other");
        open(List.of(Files.createDirectory(other))).close();
        var paths = drives(folder, 1);
        try (var drives = new WatchedDrives(paths, HARDLY)) {
            put(drives.store, "k", random(1, 50));
            put(drives.store, "cold", random(1, 50));
            var away = paths.getFirst().resolveSibling("away");
            Files.move(paths.getFirst(), away);
            Files.move(other, paths.getFirst());
            assertThatThrownBy(() -> get(drives.store, "cold")).isInstanceOf(StoreException.DriveFailed.class);
            assertThatThrownBy(() -> put(drives.store, BUCKET, "k", random(2, 50), Durability.OS))
                    .isInstanceOf(StoreException.class);
            assertThat(drives.state(0)).isEqualTo(DriveState.OFFLINE);
            Files.move(paths.getFirst(), other);
            Files.move(away, paths.getFirst());
        }
        try (var store = open(paths)) {
            assertThat(get(store, "k")).isEqualTo(random(1, 50));
        }
    }

    @Test
    void aFlappingDriveStaysOutUntilItIsSoundLongEnough() throws IOException {
        try (var drives = watched(1, CLOSE)) {
            put(drives.store, "k", random(1, 50));
            var probes = new AtomicInteger();
            var sick = new AtomicBoolean(true);
            drives.fault(0, (call, path) -> {
                boolean isProbe = path.contains("probe-");
                if (call.equals("sync") && (!isProbe || (probes.incrementAndGet() % 3 == 0 && sick.get()))) {
                    throw new IOException("Input/output error");
                }
            });
            assertThatThrownBy(() -> put(drives.store, "k", random(2, LARGE))).isInstanceOf(StoreException.class);
            var since = drives.stats(0).status().since();
            eventually(() -> probes.get() >= 12, () -> probes + " probes");
            assertThat(drives.stats(0).status().since()).as("out all the time").isEqualTo(since);
            assertThat(drives.state(0)).isEqualTo(DriveState.OFFLINE);
            sick.set(false);
            drives.awaitState(0, DriveState.ONLINE);
            assertThat(get(drives.store, "k")).isEqualTo(random(1, 50));
        }
    }

    @Test
    void bytesThatDoNotComeBackAreAFailedProbe() throws IOException {
        try (var drives = watched(1, CLOSE)) {
            put(drives.store, "k", random(1, 50));
            drives.fault(0, (call, path) -> {
                if (call.equals("open") && path.contains("probe-")) {
                    Files.write(drives.paths.getFirst().resolve(path), new byte[64 << 10]);
                } else if (call.equals("create") && !path.contains("probe-")) {
                    throw new IOException("Input/output error");
                }
            });
            assertThatThrownBy(() -> put(drives.store, "k", random(2, 50))).isInstanceOf(StoreException.class);
            drives.awaitState(0, DriveState.OFFLINE);
            assertThat(drives.reason(0)).contains("does not come back");
            drives.sound(0);
            drives.awaitState(0, DriveState.ONLINE);
        }
    }

    @Test
    void aDamagedIndexIsMadeAnewWithoutARestart() throws IOException {
        try (var drives = watched(1, CLOSE)) {
            for (int i = 0; i < 50; i++) {
                put(drives.store, "k" + i, random(i, 200));
            }
            var left = new AtomicInteger(1);
            drives.indexFault((call, _) -> {
                if (call.equals("get") && left.getAndDecrement() == 1) {
                    throw new DamagedIndexException("reading the index: Corruption", new IOException());
                }
            });
            assertThatThrownBy(() -> get(drives.store, "k1")).isInstanceOf(StoreException.class);
            drives.awaitState(0, DriveState.ONLINE);
            for (int i = 0; i < 50; i++) {
                assertThat(get(drives.store, "k" + i)).isEqualTo(random(i, 200));
            }
            assertThat(drives.store.list(BUCKET.id(), "", "", 100)).hasSize(50);
            try (var found = Files.list(drives.paths.getFirst().resolve(".sluice"))) {
                assertThat(found.map(Path::toString)).anyMatch(name -> name.contains("index-damaged-"));
            }
        }
    }

    @Test
    void aProbeThatDoesNotEndIsTheOnlyOneAndTakesTheDriveOut() throws IOException {
        var patience = new HealthSettings(Duration.ofMillis(10), 3, Duration.ofMillis(50));
        var go = new CountDownLatch(1);
        var together = new AtomicInteger();
        var most = new AtomicInteger();
        try (var drives = watched(2, patience)) {
            var key = drives.key(0, 0);
            put(drives.store, key, random(1, 50));
            drives.fault(0, (call, path) -> {
                if (call.equals("walk") && path.isEmpty()) {
                    most.accumulateAndGet(together.incrementAndGet(), Math::max);
                    awaitQuietly(go);
                    together.decrementAndGet();
                }
            });
            drives.awaitState(0, DriveState.OFFLINE);
            assertThat(drives.reason(0)).contains("does not answer");
            drives.awaitProbes(0, 5);
            drives.requireUnavailable(0, key);
            put(drives.store, drives.key(1, 0), random(2, 50));
            go.countDown();
            drives.awaitState(0, DriveState.ONLINE);
            assertThat(most).hasValue(1);
            assertThat(get(drives.store, key)).isEqualTo(random(1, 50));
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// Both drives' requests are under way at the same time by construction: the slow one's cannot end before all of
    /// the other's have.
    @Test
    void aDriveThatStandsStillShedsItsLoadAndSlowsNoOther() throws Exception {
        var go = new CountDownLatch(1);
        var limits = StoreFixture.config(drives(folder, 2));
        var stuck = new CountDownLatch(limits.threadsPerDrive());
        try (var drives = new WatchedDrives(limits, HARDLY);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 100; i++) {
                put(drives.store, drives.key(1, i), random(i, 5000));
            }
            for (int i = 0; i < limits.threadsPerDrive(); i++) {
                put(drives.store, drives.key(0, i), random(i, 10));
            }
            drives.fault(0, (call, _) -> {
                if (call.equals("open") || call.equals("write")) {
                    stuck.countDown();
                    awaitQuietly(go);
                }
            });
            var slow = new ArrayList<Future<Lookup>>();
            for (int i = 0; i < limits.threadsPerDrive(); i++) {
                var key = drives.key(0, i);
                slow.add(threads.submit(() -> drives.store.lookup(BUCKET, key)));
            }
            stuck.await();
            var queued = drives.store.begin(BUCKET, drives.key(0, 50), 1 << 20, Durability.OS);
            for (int i = 0; i < limits.queuePerDrive(); i++) {
                assertThat(queued.writing(ByteBuffer.wrap(new byte[1]))).isNotDone();
            }
            for (int i = 0; i < 100; i++) {
                var shed = drives.key(0, 100 + i);
                requireTooMuch(() -> drives.store.lookup(BUCKET, shed));
                requireTooMuch(() -> drives.store.begin(BUCKET, shed, 1 << 20, Durability.OS));
                assertThat(get(drives.store, drives.key(1, i))).isEqualTo(random(i, 5000));
                put(drives.store, drives.key(1, i), random(i + 1, 70_000));
                assertThat(get(drives.store, drives.key(1, i))).isEqualTo(random(i + 1, 70_000));
            }
            assertThat(slow).noneMatch(Future::isDone);
            assertThat(go.getCount()).isEqualTo(1);
            go.countDown();
            for (var read : slow) {
                ((Lookup.Hit) read.get()).object().close();
            }
        }
    }

    @Test
    void bodiesForAStuckDriveTakeAShareOfTheMemory() throws Exception {
        var go = new CountDownLatch(1);
        var limits = StoreFixture.config(drives(folder, 2));
        var uploads = new ArrayList<Upload>();
        try (var drives = new WatchedDrives(limits, HARDLY);
                AutoCloseable _ = go::countDown) {
            drives.fault(0, (call, _) -> {
                if (call.equals("write")) {
                    awaitQuietly(go);
                }
            });
            var late = drives.store.begin(BUCKET, drives.key(0, 1000), 33 << 20, Durability.OS);
            uploads.add(late);
            var piece = ByteBuffer.allocate(1 << 20);
            var taken = new ArrayList<CompletableFuture<Void>>();
            for (int i = 0; i < limits.queuedBytesPerDrive() >> 20; i++) {
                uploads.add(drives.store.begin(BUCKET, drives.key(0, i), 1 << 20, Durability.OS));
                taken.add(uploads.getLast().writing(piece.duplicate()));
            }
            assertThat(taken).noneMatch(Future::isDone);
            assertThat(drives.stats(0).waitingBytes()).isEqualTo(limits.queuedBytesPerDrive());
            assertThat(late.writing(ByteBuffer.allocate(1))).isCompletedExceptionally();
            requireTooMuch(() -> drives.store.begin(BUCKET, drives.key(0, 1001), 1 << 20, Durability.OS));
            put(drives.store, drives.key(1, 0), random(2, 3 << 20));
            go.countDown();
            taken.forEach(Await::whole);
            assertThat(drives.stats(0).waitingBytes()).isZero();
            Await.whole(late.writing(ByteBuffer.allocate(33 << 20))); // more than the share, when nothing else waits
            uploads.forEach(Upload::close);
        }
    }

    private static void requireTooMuch(ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(StoreException.Unavailable.class).hasMessageContaining("queue full");
    }

    @Test
    void anOperatorTakesADriveOutAndBackIn() throws IOException {
        try (var drives = watched(2, CLOSE)) {
            var key = drives.key(0, 0);
            put(drives.store, key, random(1, 50));
            get(drives.store, key);
            assertThatThrownBy(() -> drives.store.mountpaths().disable("/nowhere"))
                    .isInstanceOf(StoreException.InvalidArgument.class);
            drives.store.mountpaths().disable(drives.paths.getFirst().toString());
            assertThat(drives.state(0)).isEqualTo(DriveState.DISABLED);
            drives.requireUnavailable(0, key);
            put(drives.store, drives.key(1, 0), random(2, 50));
            drives.store.mountpaths().disable(drives.paths.getFirst().toString());
            drives.store.mountpaths().enable(drives.paths.getFirst().toString());
            drives.awaitState(0, DriveState.ONLINE);
            assertThat(get(drives.store, key)).isEqualTo(random(1, 50));
            put(drives.store, key, random(3, 50));
        }
    }

    @Test
    void aDisabledDriveStaysSoAcrossRestartsAlsoWhenItIsGone() throws IOException {
        var paths = drives(folder, 2);
        String key;
        String good;
        try (var drives = new WatchedDrives(paths, CLOSE)) {
            key = drives.key(0, 0);
            good = drives.key(1, 0);
            put(drives.store, key, random(1, 50));
            put(drives.store, good, random(2, 50));
            drives.store.mountpaths().disable(paths.getFirst().toString());
        }
        var away = paths.getFirst().resolveSibling("away");
        for (boolean gone : new boolean[] {false, true}) {
            if (gone) {
                Files.move(paths.getFirst(), away);
            }
            try (var drives = new WatchedDrives(paths, CLOSE)) {
                assertThat(drives.store.ready()).isTrue();
                assertThat(drives.state(0)).isEqualTo(DriveState.DISABLED);
                drives.requireUnavailable(0, key);
                assertThat(get(drives.store, good)).isEqualTo(random(2, 50));
                put(drives.store, good, random(2, 50));
                assertThat(paths.getFirst().toFile().exists()).isEqualTo(!gone);
                if (gone) {
                    drives.store.mountpaths().enable(paths.getFirst().toString());
                    drives.awaitProbes(0, 2);
                    assertThat(drives.state(0)).isEqualTo(DriveState.OFFLINE);
                    assertThat(drives.reason(0)).contains("is its disk mounted?");
                    Files.move(away, paths.getFirst());
                    drives.awaitState(0, DriveState.ONLINE);
                    assertThat(get(drives.store, key)).isEqualTo(random(1, 50));
                    var version = put(drives.store, key, random(4, 50)).version();
                    assertThat(put(drives.store, key, random(5, 50)).version()).isGreaterThan(version);
                }
            }
        }
        try (var store = open(paths)) {
            assertThat(get(store, key)).isEqualTo(random(5, 50));
        }
    }

    /// A drive that has seen more starts than the others: what is written to it when it joins them counts as newer
    /// than what it has.
    @Test
    void aDriveThatIsAheadRaisesTheVersionsWhenItComesBack() throws IOException {
        var paths = drives(folder, 2);
        var ahead = paths.get(1).toString();
        var behind = paths.get(0);
        try (var drives = new WatchedDrives(paths, CLOSE)) {
            drives.store.mountpaths().disable(behind.toString());
        }
        for (int i = 0; i < 3; i++) {
            new WatchedDrives(paths, CLOSE).close();
        }
        String key;
        ObjectVersion before;
        try (var drives = new WatchedDrives(paths, CLOSE)) {
            key = drives.key(1, 0);
            before = put(drives.store, key, random(1, 50)).version();
            Files.move(behind, folder.resolve("away")); // so that it does not hear of this start
            drives.store.mountpaths().enable(behind.toString());
            drives.store.mountpaths().disable(ahead);
        }
        Files.move(folder.resolve("away"), behind);
        try (var drives = new WatchedDrives(paths, CLOSE)) {
            assertThat(drives.state(1)).isEqualTo(DriveState.DISABLED);
            assertThat(put(drives.store, drives.key(0, 0), random(3, 50)).version())
                    .isLessThan(before);
            drives.store.mountpaths().enable(ahead);
            drives.awaitState(1, DriveState.ONLINE);
            assertThat(put(drives.store, key, random(2, 50)).version()).isGreaterThan(before);
        }
        try (var store = open(paths)) {
            assertThat(get(store, key)).isEqualTo(random(2, 50));
        }
    }

    /// A key of the second drive, which is out: the first one took it.
    private static String writtenWithoutItsDrive(WatchedDrives drives) {
        var key = drives.key(1, 0);
        drives.fault(1, failing("sync", ""));
        assertThatThrownBy(() -> put(drives.store, key, random(1, LARGE))).isInstanceOf(StoreException.class);
        drives.awaitCurrent(1, false);
        put(drives.store, key, random(1, 50));
        return key;
    }

    /// The change is noted for the drive that is out; when it fails, so does the note.
    @ParameterizedTest
    @ValueSource(ints = {50, LARGE})
    void aWriteThatFailsWhileAnotherDriveIsOutLeavesWhatWasThere(int size) throws IOException {
        try (var drives = watched(2, CLOSE)) {
            var key = writtenWithoutItsDrive(drives);
            drives.fault(0, failing("rename", ""));
            assertThatThrownBy(() -> put(drives.store, key, random(2, size)))
                    .isInstanceOf(StoreException.DriveFailed.class);
            assertThat(get(drives.store, key)).isEqualTo(random(1, 50));
            drives.fault(0, failing("delete", "objects"));
            assertThatThrownBy(() -> delete(drives.store, key)).isInstanceOf(StoreException.DriveFailed.class);
            assertThat(get(drives.store, key)).isEqualTo(random(1, 50));
        }
    }

    /// Its staging file is gone already when the drive goes out, so a start cannot do it again.
    @Test
    void aWriteThatFailsHalfwayWhileAnotherDriveIsOutLeavesWhatWasThere() throws IOException {
        try (var drives = watched(2, CLOSE)) {
            var key = writtenWithoutItsDrive(drives);
            drives.fault(0, (call, path) -> {
                if (call.equals("rename")) {
                    drives.indexFault(failing("write", ""));
                    throw new IOException("Input/output error");
                }
            });
            assertThatThrownBy(() -> put(drives.store, key, random(2, LARGE))).isInstanceOf(StoreException.class);
            drives.awaitState(0, DriveState.OFFLINE);
            drives.sound(0);
            drives.indexFault(WatchedDrives.NONE);
            drives.awaitState(0, DriveState.ONLINE);
            assertThat(get(drives.store, key)).isEqualTo(random(1, 50));
        }
    }

    @Test
    void underLoadNothingIsWrongMissingOrLostWhenADriveGoesOutAndComesBack() throws Exception {
        var paths = drives(folder, 2);
        Map<String, Load.Values> written;
        try (var drives = new WatchedDrives(paths, CLOSE)) {
            try (var load = new Load(drives, BUCKET, 8, 6)) {
                for (int round = 0; round < ROUNDS_UNDER_LOAD; round++) {
                    load.awaitProgress(200);
                    drives.fault(0, failing("sync", "work"));
                    drives.awaitState(0, DriveState.OFFLINE);
                    drives.sound(0);
                    drives.awaitState(0, DriveState.ONLINE);
                    load.awaitProgress(200);
                    drives.indexFault(failing("write", "")); // until it is seen, whoever meets it first
                    eventually(
                            () -> drives.state(0) != DriveState.ONLINE || drives.state(1) != DriveState.ONLINE,
                            () -> "the index never failed");
                    drives.indexFault(WatchedDrives.NONE);
                    drives.awaitState(0, DriveState.ONLINE);
                    drives.awaitState(1, DriveState.ONLINE);
                    load.awaitProgress(200);
                    var away = paths.getFirst().resolveSibling("away");
                    Files.move(paths.getFirst(), away);
                    drives.awaitState(0, DriveState.OFFLINE);
                    load.awaitProgress(50);
                    Files.move(away, paths.getFirst());
                    drives.awaitState(0, DriveState.ONLINE);
                }
                load.awaitProgress(200);
                written = load.stop();
                assertThat(load.refused()).isPositive();
            }
            Load.requireAll(drives.store, BUCKET, written);
        }
        try (var store = open(paths)) {
            Load.requireAll(store, BUCKET, written);
        }
    }
}
