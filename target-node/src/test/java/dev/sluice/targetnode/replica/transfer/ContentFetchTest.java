package dev.sluice.targetnode.replica.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.checksum.BlockSummer;
import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.DriveSettings;
import dev.sluice.targetnode.storage.drive.Found;
import dev.sluice.targetnode.storage.drive.Layout;
import dev.sluice.targetnode.storage.drive.Prepared;
import dev.sluice.targetnode.storage.drive.Suspicion;
import dev.sluice.targetnode.storage.files.DriveThreads;
import dev.sluice.targetnode.storage.files.GuardedFiles;
import dev.sluice.targetnode.storage.files.LocalDriveFiles;
import dev.sluice.targetnode.storage.index.RocksIndex;
import dev.sluice.targetnode.storage.index.RocksMemory;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.space.Watermarks;
import dev.sluice.testing.Bytes;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// On a real drive, which has one thread.
@Timeout(60)
class ContentFetchTest {
    private static final BucketRef BUCKET = new BucketRef(3, "bucket");
    private static final ObjectVersion VERSION = new ObjectVersion(5, 1);
    private static final int SMALL_LIMIT = 64 << 10;
    private static final int SMALL = 1000;
    private static final int LARGE = (2 << 20) + 12_345;

    @TempDir
    private Path folder;

    private final RocksMemory memory = new RocksMemory(8 << 20, 8 << 20);
    private Optional<Drive> opened = Optional.empty();

    @BeforeEach
    void start() throws Exception {
        for (var each :
                List.of(Layout.OBJECTS, Layout.WORK, Layout.AUX, Layout.ESCAPED, Layout.UPLOADS, Layout.TRASH)) {
            Files.createDirectories(folder.resolve(each));
        }
        Files.createDirectories(folder.resolve(".sluice/buckets"));
        try (var opener = new DriveThreads("open", 1, 1)) {
            opened = Optional.of(Await.io(opener.start(() -> new Drive(
                    "d1",
                    new GuardedFiles(new LocalDriveFiles(folder), folder),
                    RocksIndex.open(folder.resolve(Layout.INDEX), memory),
                    new DriveSettings(1, 64, 32 << 20, 0, Watermarks.DEFAULT, Duration.ofMillis(5), () -> 1),
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

    private static byte[] content(int size) {
        return Bytes.random(size, size);
    }

    private static ObjectRecord record(byte[] data) {
        var summer = new BlockSummer();
        summer.update(0, ByteBuffer.wrap(data));
        return new ObjectRecord(
                BUCKET.id(),
                "k",
                VERSION,
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

    private ContentFetch fetch(boolean durable) {
        return new ContentFetch(drive(), BUCKET, Layout.work(VERSION), durable);
    }

    private static ByteArrayInputStream body(byte[] data) {
        return new ByteArrayInputStream(data);
    }

    private List<Path> work() throws IOException {
        try (var files = Files.list(folder.resolve(Layout.WORK))) {
            return files.toList();
        }
    }

    /// After all that the drive was asked to do before: it has one thread.
    private void requireNothingLeft() throws IOException {
        Await.whole(drive().startStep(() -> {}));
        assertThat(work()).isEmpty();
    }

    /// As changes of the drive ask for it: on the drive's own threads.
    private Prepared prepared(ContentFetch fetch) {
        return drive().start(fetch::prepared).orTimeout(20, TimeUnit.SECONDS).join();
    }

    private void requireStored(byte[] data) {
        drive().call(() -> {
            var found = (Found.Present) drive().store().find(BUCKET, "k");
            try (var file = found.file()) {
                assertThat(found.record()).isEqualTo(record(data));
                var read = ByteBuffer.allocate(data.length);
                while (read.hasRemaining()) {
                    file.read(read.position(), read);
                }
                assertThat(read.array()).isEqualTo(data);
            }
            return "";
        });
    }

    @Test
    void smallObjectComesIntoTheIntentAndTouchesNoFile() throws Exception {
        for (int size : new int[] {0, SMALL, SMALL_LIMIT}) {
            var data = content(size);
            try (var fetch = fetch(true)) {
                fetch.take(body(data), record(data), SMALL_LIMIT);
                var change = prepared(fetch);
                assertThat(work()).isEmpty();
                drive().commit(change);
            }
            requireStored(data);
        }
    }

    @Test
    void largeObjectIsStagedAndTheStagingFileBecomesTheObject() throws Exception {
        var data = content(LARGE);
        try (var fetch = fetch(true)) {
            fetch.take(body(data), record(data), SMALL_LIMIT);
            assertThat(work()).hasSize(1);
            drive().commit(prepared(fetch));
        }
        assertThat(work()).isEmpty();
        requireStored(data);
    }

    @Test
    void smallObjectThatNeedNotLastIsStaged() throws Exception {
        var data = content(SMALL);
        try (var fetch = fetch(false)) {
            fetch.take(data, record(data));
            drive().commit(prepared(fetch));
        }
        assertThat(work()).isEmpty();
        requireStored(data);
    }

    @Test
    void otherBytesThanTheRecordTellsAreDamageAndNothingRemains() throws IOException {
        for (int size : new int[] {SMALL, LARGE}) {
            var data = content(size);
            var bad = data.clone();
            bad[size - 1] ^= 1;
            var fetch = fetch(true);
            assertThatThrownBy(() -> fetch.take(body(bad), record(data), SMALL_LIMIT))
                    .isInstanceOf(StoreException.Damaged.class);
            fetch.close();
            requireNothingLeft();
        }
        var attached = fetch(true);
        assertThatThrownBy(() -> attached.take(content(SMALL + 1), record(content(SMALL))))
                .isInstanceOf(StoreException.Damaged.class);
    }

    @Test
    void bodyThatBreaksOffLeavesNothing() throws IOException {
        for (int size : new int[] {SMALL, LARGE}) {
            var data = content(size);
            var fetch = fetch(true);
            assertThatThrownBy(() -> fetch.take(body(Arrays.copyOf(data, size - 1)), record(data), SMALL_LIMIT))
                    .isInstanceOf(EOFException.class);
            fetch.close();
            requireNothingLeft();
        }
    }

    @Test
    void whatIsDroppedLeavesNothing() throws IOException {
        var data = content(LARGE);
        var fetch = fetch(true);
        fetch.take(body(data), record(data), SMALL_LIMIT);
        assertThat(work()).hasSize(1);
        fetch.close();
        requireNothingLeft();
    }

    /// The index refuses, as one that is broken does: the staging file is nobody's then.
    @Test
    void changeThatCannotBePreparedLeavesNothing() throws IOException {
        var data = content(LARGE);
        var fetch = fetch(true);
        fetch.take(body(data), record(data), SMALL_LIMIT);
        Files.delete(work().getFirst());
        assertThatThrownBy(() -> prepared(fetch)).hasRootCauseInstanceOf(IOException.class);
        fetch.close();
        requireNothingLeft();
    }
}
