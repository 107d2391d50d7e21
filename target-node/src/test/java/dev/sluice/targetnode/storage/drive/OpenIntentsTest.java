package dev.sluice.targetnode.storage.drive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.checksum.BlockSummer;
import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.placement.Slot;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.files.DriveThreads;
import dev.sluice.targetnode.storage.files.GuardedFiles;
import dev.sluice.targetnode.storage.files.LocalDriveFiles;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.RocksIndex;
import dev.sluice.targetnode.storage.index.RocksMemory;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.Slice;
import dev.sluice.targetnode.storage.space.Watermarks;
import dev.sluice.testing.Bytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Writes that are prepared on a real drive, and committed or aborted by a later message.
class OpenIntentsTest {
    private static final BucketRef BUCKET = new BucketRef(3, "bucket");
    private static final int LARGE = 100_000;

    @TempDir
    private Path folder;

    private final RocksMemory memory = new RocksMemory(8 << 20, 8 << 20);
    private Optional<Drive> opened = Optional.empty();

    @BeforeEach
    void start() throws Exception {
        for (var each : List.of(
                Layout.OBJECTS,
                Layout.WORK,
                Layout.AUX,
                Layout.ESCAPED,
                Layout.BUCKETS,
                Layout.UPLOADS,
                Layout.TRASH)) {
            Files.createDirectories(folder.resolve(each));
        }
        try (var opener = new DriveThreads("open", 1, 1)) {
            opened = Optional.of(Await.io(opener.start(() -> new Drive(
                    "d1",
                    new GuardedFiles(new LocalDriveFiles(folder), folder),
                    RocksIndex.open(folder.resolve(Layout.INDEX), memory),
                    new DriveSettings(2, 64, 32 << 20, 0, Watermarks.DEFAULT, Duration.ofMillis(5), () -> 1),
                    new Suspicion("d1", (_, _) -> {})))));
        }
        Await.whole(drive().start(() -> {}));
    }

    @AfterEach
    void stop() {
        drive().close();
        memory.close();
    }

    private Drive drive() {
        return opened.orElseThrow();
    }

    /// As a process that is killed leaves it.
    private void restart() throws Exception {
        drive().abandon();
        start();
    }

    private static void await(CompletableFuture<Void> begun) {
        begun.orTimeout(30, TimeUnit.SECONDS).join();
    }

    private static ObjectVersion version(long sequence) {
        return new ObjectVersion(5, sequence);
    }

    private Prepared put(String key, ObjectVersion version, int size) {
        return put(BUCKET, key, version, size);
    }

    private Prepared put(BucketRef bucket, String key, ObjectVersion version, int size) {
        return drive().call(() -> {
            var data = content(version, size);
            var record = record(bucket, key, version, data);
            var work = Layout.work(version);
            if (size < LARGE) {
                return Prepared.smallPut(bucket, work, record, data, new IndexBatch())
                        .orElseThrow();
            }
            try (var file = drive().contents().files().create(work)) {
                file.write(0, ByteBuffer.wrap(data));
                return drive().store().preparePut(bucket, work, file, record, new IndexBatch(), true);
            }
        });
    }

    private static byte[] content(ObjectVersion version, int size) {
        return Bytes.random(version.sequence(), size);
    }

    private static Prepared deletion(String key, ObjectVersion version) {
        return Prepared.deletion(BUCKET, key, version, true);
    }

    private static ObjectRecord record(BucketRef bucket, String key, ObjectVersion version, byte[] data) {
        var summer = new BlockSummer();
        summer.update(0, ByteBuffer.wrap(data));
        return new ObjectRecord(
                bucket.id(),
                key,
                version,
                data.length,
                1,
                2,
                "etag",
                Map.of(),
                new TreeMap<>(),
                new TreeMap<>(),
                Optional.empty(),
                Optional.empty(),
                summer.finish(data.length),
                Optional.empty(),
                BlockSums.of());
    }

    private Optional<ObjectVersion> row(String key) {
        return drive().call(() -> drive().contents().row(BUCKET.id(), key));
    }

    private void requireStored(String key, ObjectVersion version, int size) {
        requireStored(BUCKET, key, version, size);
    }

    private void requireStored(BucketRef bucket, String key, ObjectVersion version, int size) {
        drive().call(() -> {
            var found = (Found.Present) drive().store().find(bucket, key);
            try (var file = found.file()) {
                assertThat(found.record().version()).isEqualTo(version);
                var read = ByteBuffer.allocate(size);
                file.read(0, read);
                assertThat(read.array()).isEqualTo(content(version, size));
            }
            return key;
        });
    }

    private List<String> rowsOfSlot(String key) {
        return drive().call(() -> {
            var rows = new ArrayList<String>();
            drive().store()
                    .scanSlot(
                            Slot.of(BUCKET.id(), key),
                            1,
                            Optional.empty(),
                            (bucketId, found, slice, damaged) -> rows.add(bucketId + " " + found + " "
                                    + slice.version().sequence() + " " + damaged));
            return rows;
        });
    }

    private boolean isEmpty(Table table) {
        return drive().call(() -> !drive().contents().index().has(table, new byte[0]));
    }

    @Test
    void preparedWritesSurviveARestartUnseenAndAreCommittedAfterIt() throws Exception {
        await(drive().prepare(put("large", version(1), LARGE)));
        await(drive().prepare(put("small", version(2), 100)));
        drive().commit(put("old", version(3), 100));
        await(drive().prepare(deletion("old", version(4))));
        await(drive().prepare(deletion("never there", version(5))));
        var open = List.of(
                new OpenIntent(3, "large", new Slice(version(1), 0), false),
                new OpenIntent(3, "small", new Slice(version(2), 0), false),
                new OpenIntent(3, "old", new Slice(version(4), 0), true),
                new OpenIntent(3, "never there", new Slice(version(5), 0), true));
        for (int i = 0; i < 2; i++) {
            assertThat(drive().openIntents()).isEqualTo(open);
            assertThat(drive().openIntent(3, "small")).contains(open.get(1));
            assertThat(drive().openIntent(4, "small")).isEmpty();
            assertThat(row("large")).isEmpty();
            assertThat(row("small")).isEmpty();
            requireStored("old", version(3), 100);
            restart();
        }
        for (var each : open) {
            await(drive().commitOpen(3, each.key(), each.version()));
        }
        for (int i = 0; i < 2; i++) {
            assertThat(drive().openIntents()).isEmpty();
            requireStored("large", version(1), LARGE);
            requireStored("small", version(2), 100);
            assertThat(row("old")).isEmpty();
            assertThat(rowsOfSlot("large")).containsExactly("3 large 1 false");
            assertThat(rowsOfSlot("old")).isEmpty();
            restart();
        }
    }

    @Test
    void abortedWriteLeavesNothing() throws Exception {
        drive().commit(put("k", version(1), 100));
        for (boolean sync : new boolean[] {true, false}) {
            for (int size : new int[] {100, LARGE}) {
                var version = version(2 + size + (sync ? 1 : 0));
                await(drive().prepare(put("k", version, size)));
                await(drive().abortOpen(3, "k", version, sync));
                assertThat(drive().openIntents()).isEmpty();
                requireStored("k", version(1), 100);
                assertThat(folder.resolve(Layout.WORK)).isEmptyDirectory();
                restart();
                assertThat(drive().openIntents()).isEmpty();
                assertThat(isEmpty(Table.INTENTS) && isEmpty(Table.OPEN)).isTrue();
            }
        }
    }

    @Test
    void keyHasOneOpenIntentAtMost() {
        await(drive().prepare(put("k", version(1), 100)));
        await(drive().prepare(put("k", version(1), 100)));
        assertThatThrownBy(() -> await(drive().prepare(put("k", version(2), 100))))
                .hasCauseInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> drive().commit(put("k", version(1), 100))).isInstanceOf(IllegalStateException.class);
        assertThat(drive().openIntents()).containsExactly(new OpenIntent(3, "k", new Slice(version(1), 0), false));
        assertThatThrownBy(() -> drive().prepare(Prepared.ofIndex(new IndexBatch(), Set.of(), true)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void fateOfAnotherVersionOrOfNoneHasNoEffect() {
        await(drive().commitOpen(3, "k", version(1)));
        await(drive().abortOpen(3, "k", version(1), true));
        await(drive().prepare(put("k", version(2), 100)));
        await(drive().commitOpen(3, "k", version(1)));
        await(drive().abortOpen(3, "k", version(3), false));
        assertThat(row("k")).isEmpty();
        assertThat(drive().openIntents()).containsExactly(new OpenIntent(3, "k", new Slice(version(2), 0), false));
        await(drive().commitOpen(3, "k", version(2)));
        await(drive().commitOpen(3, "k", version(2)));
        requireStored("k", version(2), 100);
    }

    /// No protocol lets it come to that. If one did, the row is what somebody was told of.
    @Test
    void rowThatIsNewerThanTheOpenIntentStaysWhenThatIsCommitted() throws Exception {
        drive().commit(put("deleted", version(1), 100));
        await(drive().prepare(deletion("deleted", version(2))));
        await(drive().prepare(put("small", version(3), 100)));
        await(drive().prepare(put("large", version(4), LARGE)));
        for (var each : drive().openIntents()) {
            drive().commit(put(each.key(), newer(each.version()), LARGE));
            await(drive().commitOpen(3, each.key(), each.version()));
        }
        for (int i = 0; i < 2; i++) {
            assertThat(drive().openIntents()).isEmpty();
            requireStored("deleted", newer(version(2)), LARGE);
            requireStored("small", newer(version(3)), LARGE);
            requireStored("large", newer(version(4)), LARGE);
            assertThat(folder.resolve(Layout.WORK)).isEmptyDirectory();
            restart();
        }
        assertThat(isEmpty(Table.OPEN)).isTrue();
    }

    private static ObjectVersion newer(ObjectVersion version) {
        return version(version.sequence() + 10);
    }

    /// Nothing is awaited in between, so groups follow each other as closely as they can.
    @Test
    void writesOfOneKeyAreDoneInTheOrderInWhichTheyWereBegun() throws Exception {
        var begun = new ArrayList<CompletableFuture<Void>>();
        for (int i = 1; i <= 200; i++) {
            var version = version(i);
            begun.add(
                    drive().prepare(i % 5 == 0 ? deletion("k", version) : put("k", version, i % 7 == 0 ? LARGE : 100)));
            begun.add(i % 3 == 0 ? drive().abortOpen(3, "k", version, false) : drive().commitOpen(3, "k", version));
            begun.add(drive().prepare(put("other" + i, version(1000 + i), 100)));
        }
        begun.forEach(OpenIntentsTest::await);
        assertThat(drive().openIntents()).hasSize(200);
        assertThat(row("k")).isEmpty(); // 200 is a deletion
        restart();
        assertThat(drive().openIntents()).hasSize(200);
        assertThat(row("k")).isEmpty();
    }

    @Test
    void tooManyOpenIntentsAreRefusedAndEverythingElseGoesOn() throws Exception {
        var begun = new ArrayList<CompletableFuture<Void>>();
        for (int i = 0; i < OpenIntents.MOST; i++) {
            begun.add(drive().prepare(deletion("k" + i, version(i + 1))));
            if (i % 1024 == 0) {
                begun.forEach(OpenIntentsTest::await);
            }
        }
        begun.forEach(OpenIntentsTest::await);
        assertThatThrownBy(() -> await(drive().prepare(put("one more", version(1 << 20), 100))))
                .hasCauseInstanceOf(StoreException.Unavailable.class);
        drive().commit(put("whole", version(2 << 20), 100));
        requireStored("whole", version(2 << 20), 100);
        restart();
        assertThat(drive().openIntents()).hasSize(OpenIntents.MOST);
        await(drive().commitOpen(3, "k0", version(1)));
        await(drive().prepare(put("one more", version(1 << 20), 100)));
    }

    @Test
    void openIntentsOfTooManyBytesAreRefused() {
        int size = 60_000;
        long fit = OpenIntents.MOST_BYTES / size;
        for (int i = 1; i < fit - 5; i++) {
            await(drive().prepare(put("k" + i, version(i), size)));
        }
        assertThatThrownBy(() -> {
                    for (long i = fit; i < fit + 10; i++) {
                        await(drive().prepare(put("k" + i, version(i), size)));
                    }
                })
                .hasCauseInstanceOf(StoreException.Unavailable.class);
        await(drive().commitOpen(3, "k1", version(1)));
        await(drive().prepare(put("one more", version(1 << 20), 100)));
    }

    @Test
    void dropOfABucketTakesItsOpenIntentsAndRowsOfSlots() throws Exception {
        for (int i = 1; i <= 300; i++) {
            drive().commit(put("k" + i, version(i), 10));
        }
        await(drive().prepare(put("large", version(1001), LARGE)));
        await(drive().prepare(put("small", version(1002), 10)));
        await(drive().prepare(deletion("k1", version(1003))));
        assertThat(rowsOfSlot("k1")).isNotEmpty();
        drive().alone(() -> drive().contents().drop(BUCKET));
        assertThat(drive().openIntents()).isEmpty();
        assertThat(rowsOfSlot("k1")).isEmpty();
        assertThat(folder.resolve(Layout.WORK)).isEmptyDirectory();
        assertThatThrownBy(() -> await(drive().prepare(put("late", version(1004), 10))))
                .hasCauseInstanceOf(StoreException.NoSuchBucket.class);
        restart();
        assertThat(drive().openIntents()).isEmpty();
        assertThat(rowsOfSlot("k1")).isEmpty();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!isEmpty(Table.SLOTS) && System.nanoTime() < deadline) {
            Thread.onSpinWait();
        }
        assertThat(isEmpty(Table.SLOTS)).isTrue();
    }

    /// Nobody should ask for it: the files of both are in one folder. Those of the other one stay.
    @Test
    void dropOfABucketWhoseNameIsAnothersTakesItsOwnFilesOnly() throws Exception {
        var next = new BucketRef(BUCKET.id() + 6, BUCKET.name());
        drive().commit(put("own", version(1), 100));
        drive().commit(put("folder/large", version(2), LARGE));
        drive().commit(put("both", version(3), 100));
        drive().commit(put(next, "both", version(4), 100));
        drive().commit(put(next, "folder/next", version(5), LARGE));
        drive().alone(() -> drive().contents().drop(BUCKET));
        for (int round = 0; round < 2; round++) {
            requireStored(next, "both", version(4), 100);
            requireStored(next, "folder/next", version(5), LARGE);
            assertThat(folder.resolve("objects/bucket/own")).doesNotExist();
            assertThat(folder.resolve("objects/bucket/folder/large")).doesNotExist();
            assertThat(row("own")).isEmpty();
            restart();
        }
    }

    /// As a learner does with an older object of its source, or one that its source does not have.
    @Test
    void rowIsReplacedByALesserVersion() throws Exception {
        for (int size : new int[] {100, LARGE}) {
            var newer = new ObjectVersion(7, size);
            var older = new ObjectVersion(6, size + 1);
            drive().commit(put("k" + size, newer, size));
            drive().commit(put("k" + size, older, size));
            restart();
            requireStored("k" + size, older, size);
            drive().commit(put("k" + size, new ObjectVersion(9, size), size));
            drive().commit(deletion("k" + size, new ObjectVersion(8, size)));
            restart();
            assertThat(row("k" + size)).isEmpty();
        }
    }

    @Test
    void indexMadeAnewIsNotSound() throws Exception {
        assertThat(isSound()).isFalse();
        drive().call(() -> {
            drive().marks().markSound();
            return "";
        });
        restart();
        assertThat(isSound()).isTrue();
        drive().call(() -> {
            new DriveStart(drive().contents()).rebuild();
            return "";
        });
        assertThat(isSound()).isFalse();
    }

    private boolean isSound() {
        return drive().call(() -> drive().marks().isSound());
    }

    /// An index is made anew with the rows of slots, and without open intents.
    @Test
    void rebuiltIndexHasTheRowsOfSlots() throws Exception {
        drive().commit(put("k", version(1), 100));
        await(drive().prepare(put("k", version(2), 100)));
        drive().close();
        try (var walk = Files.walk(folder.resolve(Layout.INDEX))) {
            for (var path : walk.sorted(Comparator.reverseOrder()).toList()) {
                delete(path);
            }
        }
        start();
        assertThat(rowsOfSlot("k")).containsExactly("3 k 1 false");
        assertThat(drive().openIntents()).isEmpty();
    }

    private static void delete(Path path) throws IOException {
        Files.delete(path);
    }
}
