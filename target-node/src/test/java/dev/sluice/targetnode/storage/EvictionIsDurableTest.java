package dev.sluice.targetnode.storage;

import static dev.sluice.targetnode.coldfill.TargetFixture.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.targetnode.storage.change.CommitTerms;
import dev.sluice.targetnode.storage.change.Shelf;
import dev.sluice.targetnode.storage.change.Versions;
import dev.sluice.targetnode.storage.change.WriteCheck;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.DriveSettings;
import dev.sluice.targetnode.storage.drive.Layout;
import dev.sluice.targetnode.storage.eviction.Evictor;
import dev.sluice.targetnode.storage.files.DriveThreads;
import dev.sluice.targetnode.storage.files.LocalDriveFiles;
import dev.sluice.targetnode.storage.hotset.HotSet;
import dev.sluice.targetnode.storage.index.DriveIndex;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.RocksIndex;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.space.Minutes;
import dev.sluice.targetnode.storage.space.Watermarks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// An evicted key is written again: the cloud is told without another look at the drive. So a power cut after that must
/// not bring the evicted copy back: each deletion's intent is synced, though the copies were not, and many share a
/// sync.
class EvictionIsDurableTest {
    private static final BucketRef CACHED = new BucketRef(3, "cached");
    private static final int COPIES = 300;

    @TempDir
    private Path folder;

    private final AtomicInteger synced = new AtomicInteger();
    private final AtomicInteger syncs = new AtomicInteger();

    private final class Recorded implements DriveIndex {
        private final DriveIndex real;

        Recorded(DriveIndex real) {
            this.real = real;
        }

        @Override
        public void write(IndexBatch batch, boolean sync) throws IOException {
            real.write(batch, sync);
            long intents = batch.changes().stream()
                    .filter(change -> change.table() == Table.INTENTS && change.kind() == IndexBatch.Kind.PUT)
                    .count();
            if (sync && intents > 0) {
                synced.addAndGet((int) intents);
                syncs.incrementAndGet();
            }
        }

        @Override
        public Optional<byte[]> get(Table table, byte[] key) throws IOException {
            return real.get(table, key);
        }

        @Override
        public void scan(Table table, byte[] from, Visitor visitor) throws IOException {
            real.scan(table, from, visitor);
        }

        @Override
        public void close() {
            real.close();
        }
    }

    @Test
    void deletionsAreSyncedInGroups() throws Exception {
        for (var each :
                List.of(Layout.OBJECTS, Layout.WORK, Layout.AUX, Layout.ESCAPED, Layout.UPLOADS, Layout.TRASH)) {
            Files.createDirectories(folder.resolve(each));
        }
        var small = new SmallDrive(folder, 1L << 40);
        var settings = new DriveSettings(4, 512, 0, Watermarks.DEFAULT, Duration.ofMillis(100), Minutes.ofSystem());
        var hotSet = new HotSet(100, 1 << 16, Duration.ofHours(1));
        var shelf = new Shelf(hotSet, new Versions(1));
        try (var opener = new DriveThreads("open", 1, 1);
                var drive = new Drive(
                        "d1",
                        small.seam().apply(new LocalDriveFiles(folder)),
                        new Recorded(DriveThreads.await(opener.start(
                                () -> RocksIndex.open(folder.resolve(Layout.INDEX), StoreFixture.MEMORY)))),
                        settings)) {
            Drive.awaited(drive.start(() -> {}));
            for (int i = 0; i < COPIES; i++) {
                fill(shelf, drive, "k" + i);
            }
            assertThat(synced).hasValue(0);
            small.resize(4096);
            try (var evictor = new Evictor(drive, shelf, () -> List.of(CACHED))) {
                eventually(() -> evictor.stats().objects() == COPIES);
            }
            assertThat(synced).hasValue(COPIES);
            assertThat(syncs).hasValueLessThan(COPIES / 10);
        }
    }

    private static void fill(Shelf shelf, Drive drive, String key) {
        try (var upload = new Upload(shelf, drive, CACHED, key, 100, 1 << 16, false)) {
            upload.write(ByteBuffer.allocate(100));
            upload.commit(new CommitTerms(
                    "etag",
                    new TreeMap<>(),
                    new TreeMap<>(),
                    new TreeMap<>(),
                    Optional.of("v1"),
                    Optional.empty(),
                    WriteCheck.NONE));
        }
    }
}
