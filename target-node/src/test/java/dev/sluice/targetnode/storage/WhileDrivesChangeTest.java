package dev.sluice.targetnode.storage;

import static dev.sluice.targetnode.storage.StoreFixture.BUCKET;
import static dev.sluice.targetnode.storage.StoreFixture.delete;
import static dev.sluice.targetnode.storage.StoreFixture.drives;
import static dev.sluice.targetnode.storage.StoreFixture.get;
import static dev.sluice.targetnode.storage.StoreFixture.put;
import static dev.sluice.targetnode.storage.WatchedDrives.CLOSE;
import static dev.sluice.testing.Bytes.random;
import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.peer.ResilverCommand;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.CommitTerms;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.health.DriveState;
import dev.sluice.targetnode.storage.listing.ListEntry;
import dev.sluice.targetnode.storage.resilver.Resilver;
import dev.sluice.targetnode.storage.resilver.ResilverSettings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A drive comes back, or a key is moved, between two steps of one request.
@Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WhileDrivesChangeTest {
    /// Stops the first call of a kind until it is let on.
    private static final class Stop implements FaultyFiles.Fault {
        private final String call;
        private final AtomicBoolean first = new AtomicBoolean(true);
        private final CountDownLatch reached = new CountDownLatch(1);
        private final CountDownLatch on = new CountDownLatch(1);

        Stop(String call) {
            this.call = call;
        }

        @Override
        public void before(String its, String path) throws IOException {
            if (its.equals(call) && first.getAndSet(false)) {
                reached.countDown();
                FaultyFiles.awaitIn(on);
            }
        }
    }

    @TempDir
    private Path folder;

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Stop> stops = new ArrayList<>();
    private WatchedDrives drives;

    @BeforeEach
    void open() throws IOException {
        drives = new WatchedDrives(drives(folder, 2), CLOSE);
    }

    @AfterEach
    void close() {
        stops.forEach(each -> each.on.countDown());
        drives.close();
        threads.close();
    }

    private Stop stop(String call) {
        var stop = new Stop(call);
        stops.add(stop);
        return stop;
    }

    private Path away() {
        return folder.resolve("away");
    }

    /// A drive goes out, and the other one takes its writes.
    private void takeOut(int drive) throws IOException {
        Files.move(drives.paths.get(drive), away());
        drives.awaitState(drive, DriveState.OFFLINE);
        drives.awaitCurrent(drive, false);
    }

    private void bringBack(int drive) throws IOException {
        Files.move(away(), drives.paths.get(drive));
        drives.awaitState(drive, DriveState.ONLINE);
        drives.awaitCurrent(drive, true);
    }

    /// Does something whose first call of an index is stopped while a drive comes back.
    private <T> Future<T> whileItComesBack(int drive, String call, Callable<T> work) throws Exception {
        var stop = stop(call);
        drives.indexFault(stop);
        var done = threads.submit(work);
        stop.reached.await();
        bringBack(drive);
        assertThat(done.isDone()).isFalse();
        stop.on.countDown();
        return done;
    }

    private static boolean waitsForWrites(Resilver resilver) {
        return resilver.obey(ResilverCommand.STATUS)
                .reason()
                .filter(why -> why.contains("still being written"))
                .isPresent();
    }

    /// That its key strays is known to the process only.
    @Test
    void whatIsWrittenLateToADriveThatLeavesIsMovedAlsoAfterARestart() throws Exception {
        var key = drives.key(1, 0);
        var content = random(5, 90_000);
        put(drives.store, drives.key(1, 1), random(6, 1000));
        try (var upload = drives.store.begin(BUCKET, key, -1, Durability.FSYNC)) {
            upload.write(ByteBuffer.wrap(content));
            drives.store.mountpaths().detach(drives.stats(1).id(), false);
            try (var resilver = resilver()) {
                eventually(() -> waitsForWrites(resilver), () -> "all other keys were looked at");
            }
            var _ = upload.commit(CommitTerms.of("etag"));
        }
        drives.close();
        drives = new WatchedDrives(drives.paths, CLOSE);
        try (var _ = resilver()) {
            eventually(() -> drives.store.stats().size() == 1, () -> "it has left");
            assertThat(get(drives.store, key)).isEqualTo(content);
        }
    }

    /// Readers have seen it after the restart.
    @Test
    void lateWriteOfUnknownOutcomeIsMovedAfterARestart() throws Exception {
        var key = drives.key(1, 0);
        put(drives.store, key, random(4, 90_000));
        try (var upload = drives.store.begin(BUCKET, key, -1, Durability.FSYNC)) {
            upload.write(ByteBuffer.wrap(random(5, 90_000)));
            drives.store.mountpaths().detach(drives.stats(1).id(), false);
            try (var resilver = resilver()) {
                eventually(() -> waitsForWrites(resilver), () -> "all other keys were looked at");
            }
            failAfterLogging(drives.stats(1).id());
            assertThatThrownBy(() -> upload.commit(CommitTerms.of("etag")))
                    .isInstanceOf(StoreException.DriveFailed.class);
        }
        drives.close();
        drives = new WatchedDrives(drives.paths, CLOSE);
        drives.awaitState(0, DriveState.ONLINE);
        drives.awaitState(1, DriveState.ONLINE);
        assertThat(get(drives.store, key)).isEqualTo(random(5, 90_000));
        try (var _ = resilver()) {
            eventually(() -> drives.store.stats().size() == 1, () -> "it has left");
        }
        drives.close();
        drives = new WatchedDrives(drives.paths.subList(0, 1), CLOSE); // and nothing is open that was on the other
        drives.awaitState(0, DriveState.ONLINE);
        assertThat(get(drives.store, key)).isEqualTo(random(5, 90_000));
    }

    /// A drive's next change is logged, and not done before the drive is opened again.
    private void failAfterLogging(String drive) {
        var logged = new AtomicBoolean();
        drives.indexFault((call, _) -> {
            if (call.equals("write")
                    && Thread.currentThread().getName().startsWith(drive + "-commit")
                    && logged.getAndSet(true)) {
                throw new IOException("Input/output error");
            }
        });
    }

    /// Its drive begins to leave while the older copy is deleted, and that fails.
    @Test
    void writeThatBecameLateIsMarkedThoughTheChangeFailed() throws Exception {
        drives.close();
        drives = new WatchedDrives(drives(folder.resolve("one"), 1), CLOSE);
        for (int i = 0; i < 20; i++) {
            put(drives.store, "k" + i, random(i, 50));
        }
        var first = drives.stats(0).id();
        drives.store.mountpaths().attach(folder.resolve("more").toString());
        var key = IntStream.range(0, 20)
                .mapToObj(i -> "k" + i)
                .filter(each -> !holder(each).id().equals(first))
                .findFirst()
                .orElseThrow();
        var drive = holder(key);
        var stop = stop("delete");
        drives.fault(0, (call, path) -> {
            if (Thread.currentThread().getName().startsWith(first + "-commit")) {
                stop.before("delete", path);
                throw new IOException("Input/output error");
            }
        });
        var change = threads.submit(() -> put(drives.store, key, random(50, 50)));
        stop.reached.await();
        drives.store.mountpaths().detach(drive.id(), false);
        stop.on.countDown();
        assertThatThrownBy(change::get).hasCauseInstanceOf(StoreException.DriveFailed.class);
        long table = drives.store.table().version();
        assertThat(drive.call(() -> drive.marks().cameLate(table))).isTrue();
    }

    private Drive holder(String key) {
        return drives.store.drives().of(BUCKET, key).toWrite().getFirst();
    }

    private Resilver resilver() {
        return drives.store.resilver(
                new ResilverSettings(0, Duration.ofMillis(50)), StoreFixture.known(StoreFixture.BUCKET));
    }

    @Test
    void aDriveThatBeginsToServeDuringAReadWasNotAsked() throws Exception {
        var key = drives.key(0, 0);
        put(drives.store, key, random(1, 50));
        takeOut(0);
        var read = whileItComesBack(0, "get", () -> get(drives.store, key));
        assertThatThrownBy(read::get).hasCauseInstanceOf(StoreException.Unavailable.class);
        assertThat(get(drives.store, key)).isEqualTo(random(1, 50));
    }

    @Test
    void aDriveThatBeginsToServeDuringADeletionHasNotTakenPart() throws Exception {
        var key = drives.key(0, 0);
        put(drives.store, key, random(1, 50));
        takeOut(0);
        whileItComesBack(0, "get", () -> delete(drives.store, key)).get();
        assertThatThrownBy(() -> get(drives.store, key)).isInstanceOf(StoreException.NoSuchKey.class);
    }

    @Test
    void anUploadOnADriveThatBeginsToServeIsNotUnknown() throws Exception {
        var key = drives.key(0, 0);
        var uploads = drives.store.multipart();
        var id = uploads.create(BUCKET, key, new TreeMap<>(), new TreeMap<>(), Optional.empty(), false)
                .uploadId();
        takeOut(0);
        var parts = whileItComesBack(0, "get", () -> uploads.listParts(BUCKET, key, id, 0, 10));
        assertThatThrownBy(parts::get).hasCauseInstanceOf(StoreException.Unavailable.class);
        assertThat(uploads.listParts(BUCKET, key, id, 0, 10)).isEmpty();
    }

    /// The resilver has looked at all keys before the deletion is written down, and ends without it.
    @Test
    void whatOutlastsAChangeOfTheDrivesIsLookedAtAgain() throws Exception {
        var key = drives.key(0, 0);
        put(drives.store, key, random(1, 50));
        takeOut(0);
        try (var resilver =
                drives.store.resilver(new ResilverSettings(0, Duration.ofMillis(50)), StoreFixture.known(BUCKET))) {
            var stop = stop("write");
            drives.indexFault(stop);
            var done = threads.submit(() -> delete(drives.store, key));
            stop.reached.await();
            bringBack(0);
            eventually(
                    () -> resilver.obey(ResilverCommand.STATUS)
                            .reason()
                            .filter("changes are under way"::equals)
                            .isPresent(),
                    () -> "the resilver " + resilver.obey(ResilverCommand.STATUS));
            stop.on.countDown();
            done.get();
            eventually(
                    () -> drives.store.table().isSettled(),
                    () -> "the resilver is " + resilver.obey(ResilverCommand.STATUS));
            assertThatThrownBy(() -> get(drives.store, key)).isInstanceOf(StoreException.NoSuchKey.class);
        }
    }

    /// Moves a key once the drive it goes to was looked at, and before the one it comes from is.
    private void moveBetweenTheLooks(String key) throws IOException {
        int first = first();
        var source = drives.stats(1 - first).id();
        takeOut(first);
        put(drives.store, key, random(1, 50));
        bringBack(first);
        var once = new AtomicBoolean(true);
        drives.indexFault((call, _) -> {
            if (call.equals("scan") && Thread.currentThread().getName().startsWith(source) && once.getAndSet(false)) {
                CompletableFuture.runAsync(() -> drives.store.mover().bring(BUCKET, key), threads)
                        .join();
            }
        });
    }

    /// The drive that is looked at first.
    private int first() {
        return drives.paths.indexOf(Path.of(drives.store.stats().getFirst().path()));
    }

    @Test
    void aKeyThatIsMovedDuringAListingIsListed() throws IOException {
        var key = drives.key(first(), 0);
        moveBetweenTheLooks(key);
        assertThat(drives.store.list(BUCKET.id(), "", "", 10))
                .extracting(ListEntry::key)
                .containsExactly(key);
    }

    /// Its change is noted for a drive that is away, and not done yet.
    @Test
    void aKeyThatIsBeingOverwrittenIsListed() throws Exception {
        var key = drives.key(0, 0);
        takeOut(0);
        put(drives.store, key, random(1, 50));
        var stop = stop("rename");
        drives.fault(1, stop);
        var put = threads.submit(() -> put(drives.store, key, random(2, 50)));
        stop.reached.await();
        bringBack(0);
        var list = threads.submit(() -> drives.store.list(BUCKET.id(), "", "", 10));
        assertThatThrownBy(() -> list.get(50, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        stop.on.countDown();
        put.get();
        assertThat(list.get()).extracting(ListEntry::key).contains(key);
    }

    @Test
    void aBucketWhoseOnlyKeyIsMovedIsNotEmpty() throws IOException {
        moveBetweenTheLooks(drives.key(first(), 0));
        assertThat(drives.store.isEmpty(BUCKET.id())).isFalse();
    }
}
