package dev.sluice.targetnode.storage;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.peer.ResilverCommand;
import dev.sluice.common.peer.ResilverStatus;
import dev.sluice.common.peer.ScrubCommand;
import dev.sluice.common.peer.ScrubFinding;
import dev.sluice.common.placement.Slot;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.CommitTerms;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.change.WriteCheck;
import dev.sluice.targetnode.storage.files.DriveFullException;
import dev.sluice.targetnode.storage.health.DriveState;
import dev.sluice.targetnode.storage.health.HealthSettings;
import dev.sluice.targetnode.storage.listing.ListEntry;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.resilver.ResilverSettings;
import dev.sluice.targetnode.storage.scrub.KnownBuckets;
import dev.sluice.targetnode.storage.scrub.ScrubSettings;
import dev.sluice.targetnode.storage.slots.Lookup;
import dev.sluice.testing.Bytes;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `local_copies=2`: each object on two drives of the target.
final class LocalCopiesTest {
    private static final BucketRef TWO = new BucketRef(21, "twice", 2);
    private static final HealthSettings QUICK = new HealthSettings(Duration.ofMillis(10), 2, Duration.ofSeconds(20));
    private static final ResilverSettings AT_ONCE = new ResilverSettings(0, Duration.ofMillis(50));
    private static final int LARGE = 3_000_000;
    private static final KnownBuckets BUCKETS = StoreFixture.known(TWO);

    @TempDir
    private Path folder;

    private WatchedDrives open(int drives) throws IOException {
        return new WatchedDrives(StoreFixture.drives(folder, drives), QUICK);
    }

    private static void put(WatchedDrives drives, String key, byte[] content) {
        StoreFixture.put(drives.store, TWO, key, content, Durability.FSYNC);
    }

    private static byte[] get(WatchedDrives drives, String key) throws IOException {
        return StoreFixture.get(drives.store, TWO, key);
    }

    private static byte[] content(int number) {
        return Bytes.random(number, number % 4 == 3 ? 200_000 : 500 + number);
    }

    /// The drives that a key belongs on, counted from 0, the first one first.
    private static List<Integer> holders(WatchedDrives drives, String key) {
        var ids = drives.store.table().current().holders(Slot.of(TWO.id(), key), TWO.copies());
        return ids.stream()
                .map(id -> IntStream.range(0, drives.paths.size())
                        .filter(i -> drives.stats(i).id().equals(id))
                        .findFirst()
                        .orElseThrow())
                .toList();
    }

    private static Path file(WatchedDrives drives, int drive, String key) {
        return drives.paths.get(drive).resolve("objects/" + TWO.name() + "/" + key);
    }

    /// Whether a key's files are where they belong, and nowhere else.
    private static boolean isInPlace(WatchedDrives drives, String key, byte[] content) {
        var holders = holders(drives, key);
        return IntStream.range(0, drives.paths.size())
                .allMatch(drive -> holders.contains(drive)
                        ? hasBytes(file(drives, drive, key), content)
                        : Files.notExists(file(drives, drive, key)));
    }

    private static boolean hasBytes(Path file, byte[] content) {
        try {
            return Files.exists(file) && java.util.Arrays.equals(Files.readAllBytes(file), content);
        } catch (IOException replaced) {
            return false;
        }
    }

    @Test
    void eachObjectIsOnTwoDrivesWhenItsWriteIsAcknowledged() throws Exception {
        try (var drives = open(4)) {
            for (int i = 0; i < 20; i++) {
                put(drives, "k" + i, content(i));
                assertThat(isInPlace(drives, "k" + i, content(i))).as("k" + i).isTrue();
            }
            put(drives, "k3", content(5));
            assertThat(isInPlace(drives, "k3", content(5))).isTrue();
            drives.store.delete(TWO, "k3", WriteCheck.NONE, Durability.FSYNC);
            holders(drives, "k3")
                    .forEach(drive -> assertThat(file(drives, drive, "k3")).doesNotExist());
            assertThat(drives.store.list(TWO.id(), "", "", 100)).hasSize(19);
        }
    }

    /// Nobody would find the copy that is too many, nor delete it with the other one.
    @Test
    void anObjectThatWasBegunWithMoreCopiesThanAreWantedIsRefused() throws Exception {
        try (var drives = open(2)) {
            try (var upload = drives.store.begin(TWO, "k", -1, Durability.FSYNC)) {
                upload.write(ByteBuffer.wrap(content(3), 0, 100_000));
                drives.store.adopt(new BucketRef(TWO.id(), TWO.name(), 1));
                assertThatThrownBy(() -> upload.commit(CommitTerms.of("etag")))
                        .isInstanceOf(StoreException.Unavailable.class);
            }
            for (var drive : drives.paths) {
                try (var files = Files.walk(drive.resolve("objects"))) {
                    assertThat(files.filter(Files::isRegularFile)).isEmpty();
                }
                try (var files = Files.walk(drive.resolve(".sluice/work"))) {
                    assertThat(files.filter(Files::isRegularFile)).isEmpty();
                }
            }
        }
    }

    @Test
    void readsGoToTheDriveThatIsLessBusy() throws Exception {
        try (var drives = open(2)) {
            put(drives, "k", content(1));
            int first = holders(drives, "k").getFirst();
            var one = new BucketRef(22, "once");
            var keys = IntStream.range(0, 20)
                    .mapToObj(i -> onlyOn(drives, first, one, i))
                    .toList();
            keys.forEach(key -> StoreFixture.put(drives.store, one, key, new byte[10], Durability.FSYNC));
            var stuck = new CountDownLatch(1);
            drives.fault(first, (call, path) -> {
                if (call.equals("open")) {
                    FaultyFiles.awaitIn(stuck);
                }
            });
            var readers = new ArrayList<Thread>(); // of keys that only this drive has: some of them wait in line
            try {
                keys.forEach(key -> readers.add(Thread.ofVirtual().start(() -> drives.store.lookup(one, key))));
                eventually(() -> drives.stats(first).waiting() > 0, () -> "nothing waits for " + drives.stats(first));
                assertThat(get(drives, "k")).isEqualTo(content(1));
            } finally {
                stuck.countDown();
            }
            for (var reader : readers) {
                reader.join();
            }
        }
    }

    private static String onlyOn(WatchedDrives drives, int drive, BucketRef bucket, int number) {
        int found = 0;
        for (int i = 0; ; i++) {
            var key = "only" + i;
            var id = drives.store
                    .table()
                    .current()
                    .holders(Slot.of(bucket.id(), key), 1)
                    .getFirst();
            if (id.equals(drives.stats(drive).id()) && found++ == number) {
                return key;
            }
        }
    }

    private static void flip(Path file) throws IOException {
        try (var bytes = new RandomAccessFile(file.toFile(), "rw")) {
            bytes.seek(bytes.length() / 2);
            int before = bytes.read();
            bytes.seek(bytes.length() / 2);
            bytes.write(before ^ 0x10);
        }
    }

    @Test
    void aCopyThatIsFoundBadMissingOrUnreadableIsMadeAnewAtOnce() throws Exception {
        try (var drives = open(3)) {
            for (int size : new int[] {1_000, LARGE}) {
                var content = Bytes.random(size, size);
                for (var harm : List.of("flipped", "gone", "short", "without record")) {
                    var key = harm + size;
                    put(drives, key, content);
                    var bad = file(drives, holders(drives, key).getFirst(), key);
                    switch (harm) {
                        case "flipped" -> flip(bad);
                        case "gone" -> Files.delete(bad);
                        case "short" -> Files.write(bad, new byte[3]);
                        default ->
                            Files.getFileAttributeView(bad, UserDefinedFileAttributeView.class)
                                    .delete("sluice");
                    }
                    assertThat(getAgain(drives, key)).as(key).isEqualTo(content);
                    eventually(() -> isInPlace(drives, key, content), () -> key + " is not made anew");
                }
            }
        }
    }

    /// As a client does when an answer breaks off: bytes known bad are never given, and the next try is good.
    private static byte[] getAgain(WatchedDrives drives, String key) throws IOException {
        try {
            return get(drives, key);
        } catch (StoreException.Damaged damaged) {
            eventually(() -> isReadable(drives, key), () -> key + " stays damaged");
            return get(drives, key);
        }
    }

    private static boolean isReadable(WatchedDrives drives, String key) {
        try {
            return get(drives, key).length > 0;
        } catch (StoreException.Damaged | IOException notYet) {
            return false;
        }
    }

    @Test
    void anObjectWhoseCopiesAreAllBadIsAnError() throws Exception {
        try (var drives = open(2)) {
            put(drives, "k", content(1));
            flip(file(drives, 0, "k"));
            flip(file(drives, 1, "k"));
            assertThatThrownBy(() -> get(drives, "k")).isInstanceOf(StoreException.Damaged.class);
            assertThatThrownBy(() -> get(drives, "k")).isInstanceOf(StoreException.Damaged.class);
        }
    }

    @Test
    void aScrubMakesBadCopiesAnew() throws Exception {
        try (var drives = open(3)) {
            for (int i = 0; i < 8; i++) {
                put(drives, "k" + i, content(i));
                flip(file(drives, holders(drives, "k" + i).get(i % 2), "k" + i));
            }
            try (var scrubs = drives.store.scrubs(
                    ScrubSettings.OFF,
                    BUCKETS,
                    (bucket, key, drive, _) -> drives.store.mend(bucket, key, drive)
                            ? Optional.of(ScrubFinding.Action.COPIED)
                            : Optional.empty())) {
                eventually(
                        () -> scrubs.obey(ScrubCommand.STATUS).stream()
                                .allMatch(drive -> drive.trouble().isEmpty()),
                        () -> "not all drives are ready");
                scrubs.obey(new ScrubCommand(ScrubCommand.Action.START, Optional.empty(), Optional.of(0L)));
                for (int i = 0; i < 8; i++) {
                    int number = i;
                    eventually(() -> isInPlace(drives, "k" + number, content(number)), () -> "k" + number + " is bad");
                }
                eventually(
                        () -> scrubs.obey(ScrubCommand.STATUS).stream()
                                        .flatMap(drive -> drive.latest().stream())
                                        .filter(found -> found.action() == ScrubFinding.Action.COPIED)
                                        .count()
                                == 8,
                        () -> "findings: " + scrubs.obey(ScrubCommand.STATUS));
            }
        }
    }

    /// A write that failed on one drive was read from the other, which then goes out.
    @Test
    void whatOneDriveHasAloneIsNotForgottenWithIt() throws Exception {
        try (var drives = open(3)) {
            put(drives, "k", content(1));
            int has = holders(drives, "k").getFirst();
            int lacks = holders(drives, "k").getLast();
            failingOn(drives, lacks, () -> put(drives, "k", content(2)));
            assertThat(get(drives, "k")).isEqualTo(content(2));

            var away = folder.resolve("away");
            Files.move(drives.paths.get(has), away);
            drives.awaitCurrent(has, false);
            assertThatThrownBy(() -> get(drives, "k")).isInstanceOf(StoreException.Unavailable.class);
            assertThatThrownBy(() -> drives.store.list(TWO.id(), "", "", 10))
                    .isInstanceOf(StoreException.Unavailable.class);
            put(drives, "k", content(3)); // makes it known again
            assertThat(get(drives, "k")).isEqualTo(content(3));
            assertThat(drives.store.list(TWO.id(), "", "", 10)).hasSize(1);
            Files.move(away, drives.paths.get(has));
            drives.awaitState(has, DriveState.ONLINE);
            assertThat(get(drives, "k")).isEqualTo(content(3));
        }
    }

    @Test
    void whatOneDriveHasAloneIsForgottenWhenItIsGivenUp() throws Exception {
        try (var drives = open(3)) {
            put(drives, "k", content(1));
            int has = holders(drives, "k").getFirst();
            failingOn(drives, holders(drives, "k").getLast(), () -> put(drives, "k", content(2)));
            drives.fault(has, (_, _) -> {
                throw new IOException("gone");
            });
            drives.awaitCurrent(has, false);
            assertThatThrownBy(() -> get(drives, "k")).isInstanceOf(StoreException.Unavailable.class);
            drives.store.mountpaths().detach(drives.paths.get(has).toString(), true);
            assertThat(get(drives, "k")).isEqualTo(content(1));
        }
    }

    /// A write that this drive does not take.
    private static void failingOn(WatchedDrives drives, int drive, Runnable write) {
        drives.fault(drive, FaultyFiles.failing("rename", ""));
        assertThatThrownBy(write::run).isInstanceOf(StoreException.DriveFailed.class);
        drives.sound(drive);
    }

    @Test
    void aLostDriveTakesNothingAwayAndIsMadeUpFor() throws Exception {
        try (var drives = open(3);
                var resilver = drives.store.resilver(AT_ONCE, BUCKETS)) {
            for (int i = 0; i < 30; i++) {
                put(drives, "k" + i, content(i));
            }
            drives.fault(0, (call, path) -> {
                throw new IOException("gone");
            });
            drives.awaitState(0, DriveState.OFFLINE);
            eventually(() -> drives.store.table().current().size() == 2, () -> "it is " + drives.store.table());

            assertThat(drives.store.list(TWO.id(), "", "", 100)).hasSize(30);
            for (int i = 0; i < 30; i++) {
                assertThat(get(drives, "k" + i)).as("k" + i).isEqualTo(content(i));
            }
            assertThatThrownBy(() -> get(drives, "never")).isInstanceOf(StoreException.NoSuchKey.class);
            for (int i = 0; i < 10; i++) {
                put(drives, "k" + i, content(i + 100));
                drives.store.delete(TWO, "k" + (i + 10), WriteCheck.NONE, Durability.FSYNC);
            }
            for (int i = 20; i < 30; i++) { // what lost a copy has two again
                int number = i;
                eventually(
                        () -> hasBytes(file(drives, 1, "k" + number), content(number))
                                && hasBytes(file(drives, 2, "k" + number), content(number)),
                        () -> "k" + number + " has one copy; " + resilver.obey(ResilverCommand.STATUS));
            }
            eventually(
                    () -> resilver.obey(ResilverCommand.STATUS)
                            .reason()
                            .orElse("")
                            .contains("detach --lost"),
                    () -> "it is " + resilver.obey(ResilverCommand.STATUS));

            drives.sound(0);
            drives.awaitState(0, DriveState.ONLINE);
            awaitSettled(drives, resilver);
            for (int i = 0; i < 30; i++) {
                int number = i;
                if (i >= 10 && i < 20) {
                    assertThatThrownBy(() -> get(drives, "k" + number)).isInstanceOf(StoreException.NoSuchKey.class);
                    assertThat(file(drives, 0, "k" + i)).doesNotExist();
                } else {
                    var content = content(i < 10 ? i + 100 : i);
                    assertThat(get(drives, "k" + i)).isEqualTo(content);
                    assertThat(isInPlace(drives, "k" + i, content)).as("k" + i).isTrue();
                }
            }
        }
    }

    private static void awaitSettled(WatchedDrives drives, AutoCloseable resilver) {
        eventually(
                () -> drives.store.table().isSettled()
                        && drives.store
                                .settlement()
                                .isSettled(drives.store.table().version()),
                () -> "not settled: " + drives.store.table() + " " + resilver);
    }

    /// Of the first forty objects.
    private static long copiesOn(Path drive) {
        return IntStream.range(0, 40)
                .filter(i -> hasBytes(drive.resolve("objects/twice/k" + i), content(i)))
                .count();
    }

    @Test
    void anAttachedDriveGetsItsShareAndADetachedOneLeavesItAndMayComeBack() throws Exception {
        try (var drives = open(2);
                var resilver = drives.store.resilver(AT_ONCE, BUCKETS)) {
            for (int i = 0; i < 40; i++) {
                put(drives, "k" + i, content(i));
            }
            var third = Files.createDirectories(folder.resolve("d3"));
            drives.store.mountpaths().attach(third.toString());
            awaitSettled(drives, resilver);
            assertThat(copiesOn(third)).isBetween(15L, 38L); // two copies on three drives

            drives.store.mountpaths().detach(drives.paths.getFirst().toString(), false);
            awaitSettled(drives, resilver);
            eventually(() -> drives.store.stats().size() == 2, () -> "drives are " + drives.store.stats());
            for (int i = 0; i < 40; i++) {
                assertThat(get(drives, "k" + i)).isEqualTo(content(i));
                assertThat(third.resolve("objects/twice/k" + i)).hasBinaryContent(content(i));
                assertThat(drives.paths.get(0).resolve("objects/twice/k" + i)).doesNotExist();
                assertThat(drives.paths.get(1).resolve("objects/twice/k" + i)).hasBinaryContent(content(i));
            }
            eventually(
                    () -> resilver.obey(ResilverCommand.STATUS).state() == ResilverStatus.State.IDLE,
                    () -> "it is " + resilver.obey(ResilverCommand.STATUS));

            eventually(
                    () -> Files.exists(drives.paths.getFirst().resolve(".sluice/drive.json.detached")),
                    () -> "its identity is put aside");
            drives.store.mountpaths().attach(drives.paths.getFirst().toString());
            awaitSettled(drives, resilver);
            assertThat(copiesOn(drives.paths.getFirst())).isBetween(15L, 38L);
        }
    }

    @Test
    void moreCopiesAreMadeWhenTheBucketIsToHaveMore() throws Exception {
        var one = new BucketRef(TWO.id(), TWO.name(), 1);
        try (var drives = open(3);
                var resilver = drives.store.resilver(AT_ONCE, BUCKETS)) {
            for (int i = 0; i < 20; i++) {
                StoreFixture.put(drives.store, one, "k" + i, content(i), Durability.FSYNC);
            }
            put(drives, "new", content(50));
            awaitSettled(drives, resilver);
            for (int i = 0; i < 20; i++) {
                assertThat(isInPlace(drives, "k" + i, content(i))).as("k" + i).isTrue();
            }
        }
    }

    /// A key that was deleted while its drive, the first one, was away.
    private static String deletedWhileAway(WatchedDrives drives) {
        var key = drives.key(0, 0);
        var path = drives.paths.getFirst().toString();
        StoreFixture.put(drives.store, key, new byte[1]);
        drives.store.mountpaths().disable(path);
        StoreFixture.delete(drives.store, key);
        drives.store.mountpaths().enable(path);
        drives.awaitState(0, DriveState.ONLINE);
        return key;
    }

    /// What a drive heard of a key last is not the newest when the key was written without it since.
    @Test
    void anOlderNoteDecidesNothingWhileTheDriveWithTheNewestIsAway() throws Exception {
        try (var drives = new WatchedDrives(StoreFixture.drives(folder, 2), WatchedDrives.HARDLY)) {
            var key = deletedWhileAway(drives);
            eventually(() -> drives.store.table().current().size() == 2, () -> "it is " + drives.store.table());
            StoreFixture.put(drives.store, key, new byte[2]);
            assertThat(StoreFixture.get(drives.store, key)).hasSize(2);
            drives.store.mountpaths().disable(drives.paths.getFirst().toString());
            assertThat(drives.store.lookup(StoreFixture.BUCKET, key)).isInstanceOf(Lookup.Unknown.class);
        }
    }

    @Test
    void whatWasDeletedWhileItsDriveWasAwayIsNeitherReadNorListed() throws Exception {
        try (var drives = new WatchedDrives(StoreFixture.drives(folder, 2), WatchedDrives.HARDLY)) {
            var key = deletedWhileAway(drives);
            assertThat(drives.paths.getFirst().resolve("objects/shards/" + key)).exists();
            assertThat(drives.store.list(StoreFixture.BUCKET.id(), "", "", 10)).isEmpty();
            assertThat(drives.store.lookup(StoreFixture.BUCKET, key)).isInstanceOf(Lookup.Miss.class);
        }
    }

    /// One of two drives is full: the PUT is refused, and one of them has it all the same. Whoever reads or lists is
    /// told the same from then on.
    @Test
    void aChangeThatReachedOneOfTwoDrivesIsSeenByAllOrNobody() throws Exception {
        try (var drives = new WatchedDrives(StoreFixture.drives(folder, 2), WatchedDrives.HARDLY)) {
            for (int full = 0; full < 2; full++) {
                var key = "k" + full;
                put(drives, key, content(1));
                int refusing = holders(drives, key).get(full);
                drives.fault(refusing, (call, _) -> {
                    if (call.equals("create") || call.equals("createWhole")) {
                        throw new DriveFullException("No space left on device", new IOException());
                    }
                });
                assertThatThrownBy(() -> put(drives, key, content(2))).isInstanceOf(StoreException.NoSpace.class);
                drives.sound(refusing);
                var read = get(drives, key);
                assertThat(read).isIn(content(1), content(2));
                assertThat(drives.store.list(TWO.id(), key, "", 1))
                        .first()
                        .returns((long) read.length, ListEntry::size);
            }
        }
    }

    @Test
    void aBadCopyIsNotWhatIsMoved() throws Exception {
        try (var drives = open(3);
                var resilver = drives.store.resilver(AT_ONCE, BUCKETS)) {
            var newHolder = new HashMap<Integer, Integer>();
            for (int i = 0; i < 24; i++) {
                put(drives, "k" + i, content(i));
                var holders = holders(drives, "k" + i);
                if (holders.contains(0)) {
                    int other = holders.getFirst() + holders.getLast();
                    flip(file(drives, other, "k" + i));
                    newHolder.put(i, 3 - other);
                }
            }
            drives.store.mountpaths().detach(drives.paths.getFirst().toString(), false);
            awaitSettled(drives, resilver);
            newHolder.forEach((i, drive) ->
                    assertThat(file(drives, drive, "k" + i)).as("k" + i).hasBinaryContent(content(i)));
        }
    }

    /// What is there when one drive has committed a change, and the other has not yet decided it.
    @Test
    void aCrashBetweenTwoDrivesIsSeenByAllOrNobody() throws Exception {
        for (int late = 0; late < 2; late++) {
            var live = folder.resolve("live" + late);
            var crashed = folder.resolve("crashed" + late);
            try (var drives = new WatchedDrives(StoreFixture.drives(live, 2), WatchedDrives.HARDLY)) {
                put(drives, "k", content(1));
                var holders = holders(drives, "k");
                var first = file(drives, holders.get(1 - late), "k");
                var committer = drives.stats(holders.get(late)).id() + "-commit";
                var due = new AtomicBoolean(true);
                drives.indexFault((_, _) -> {
                    if (Thread.currentThread().getName().startsWith(committer) && due.compareAndSet(true, false)) {
                        eventually(() -> hasBytes(first, content(2)), () -> "the other drive has it");
                        FaultDrive.copy(live, crashed);
                    }
                });
                put(drives, "k", content(2));
            }
            try (var drives = new WatchedDrives(StoreFixture.drives(crashed, 2), WatchedDrives.HARDLY)) {
                drives.awaitState(0, DriveState.ONLINE);
                drives.awaitState(1, DriveState.ONLINE);
                var holders = holders(drives, "k");
                assertThat(file(drives, holders.get(late), "k")).hasBinaryContent(content(1));
                assertThat(file(drives, holders.get(1 - late), "k")).hasBinaryContent(content(2));
                assertThat(get(drives, "k")).isEqualTo(content(2));
                assertThat(drives.store.list(TWO.id(), "k", "", 1))
                        .first()
                        .returns((long) content(2).length, ListEntry::size);
            }
        }
    }

    @Test
    void whatIsWrittenWhileAnOlderVersionIsMovedStays() throws Exception {
        var one = new BucketRef(TWO.id(), TWO.name(), 1);
        try (var drives = open(2);
                var resilver = drives.store.resilver(AT_ONCE, BUCKETS);
                var clients = Executors.newVirtualThreadPerTaskExecutor()) {
            StoreFixture.put(drives.store, one, "k", content(3), Durability.FSYNC);
            int leaving = Files.exists(file(drives, 0, "k")) ? 0 : 1;
            var due = new AtomicBoolean(true);
            drives.fault(1 - leaving, (call, path) -> {
                if (call.equals("create") && path.startsWith(".sluice/work") && due.compareAndSet(true, false)) {
                    CompletableFuture.runAsync(
                                    () -> StoreFixture.put(drives.store, one, "k", content(7), Durability.FSYNC),
                                    clients)
                            .join();
                }
            });
            drives.store.mountpaths().detach(drives.paths.get(leaving).toString(), false);
            awaitSettled(drives, resilver);
            assertThat(due).isFalse();
            assertThat(StoreFixture.get(drives.store, one, "k")).isEqualTo(content(7));
        }
    }
}
