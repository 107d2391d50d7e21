package dev.sluice.targetnode.storage.eviction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.concurrent.Await;
import dev.sluice.targetnode.storage.drive.Insides;
import dev.sluice.targetnode.storage.files.DriveThreads;
import dev.sluice.targetnode.storage.files.LocalDriveFiles;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.index.ObjectEntry;
import dev.sluice.targetnode.storage.index.RocksIndex;
import dev.sluice.targetnode.storage.index.RocksMemory;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.space.AccessTimes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Prints how long it takes to choose among very many copies.
@Tag("long")
class MillionCopiesTest {
    private static final int COPIES = 1_000_000;
    private static final BucketRef BUCKET = new BucketRef(3, "cached");

    @TempDir
    private Path folder;

    @Test
    void choosing() throws Exception {
        try (var memory = new RocksMemory(32 << 20, 64 << 20);
                var thread = new DriveThreads("test", 1, 1)) {
            Await.io(thread.startStep(() -> choose(memory)));
        }
    }

    private void choose(RocksMemory memory) throws IOException {
        try (var index = RocksIndex.open(folder.resolve("index"), memory)) {
            for (int i = 0; i < COPIES; ) {
                var batch = new IndexBatch();
                for (int end = i + 1000; i < end; i++) {
                    var key = IndexKeys.object(3, "train/%04d/sample-%08d.jpg".formatted(i / 1000, i));
                    var entry = new ObjectEntry(
                            new ObjectVersion(1, i),
                            100_000,
                            0,
                            "d5816f35916d1d9482fb0f1ec201101d",
                            false,
                            false,
                            false);
                    batch.put(Table.OBJECTS, key, entry.encode());
                    batch.put(Table.ACCESS, key, IndexKeys.number(29_000_000 + i * 7919L % 500_000));
                }
                index.write(batch, false);
            }
            for (int round = 0; round < 3; round++) {
                long start = System.nanoTime();
                var seen = new long[1];
                var ages = new AgeHistogram(29_500_000);
                new Copies(
                                Insides.store(new LocalDriveFiles(folder), index),
                                new AccessTimes(() -> 0, index),
                                Copies.Measure.ROOM)
                        .visit(List.of(BUCKET), page -> {
                            page.forEach(copy -> ages.add(copy.read(), copy.size()));
                            seen[0] += page.size();
                            return true;
                        });
                assertThat(seen[0]).isEqualTo(COPIES);
                assertThat(ages.cut(1L << 30).all()).isFalse();
                System.out.printf("%,d copies looked at in %,d ms%n", COPIES, (System.nanoTime() - start) / 1_000_000);
            }
        }
    }
}
