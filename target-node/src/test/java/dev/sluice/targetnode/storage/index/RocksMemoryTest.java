package dev.sluice.targetnode.storage.index;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.concurrent.Await;
import dev.sluice.targetnode.storage.files.DriveThreads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Memory comes and goes with the indexes that are open.
class RocksMemoryTest {
    @TempDir
    private Path folder;

    @Test
    void eachOpenIndexAddsItsBlocksAndTakesThemAway() throws Exception {
        try (var memory = new RocksMemory(2 << 20, 8 << 20);
                var threads = new DriveThreads("index", 1, 2)) {
            assertThat(memory.limit()).isEqualTo(8 << 20);
            var first = open(threads, "first", memory);
            var second = open(threads, "second", memory);
            assertThat(memory.limit()).isEqualTo(12 << 20);
            second.close();
            assertThat(memory.limit()).isEqualTo(10 << 20);
            first.close();
            Files.writeString(folder.resolve("second/CURRENT"), "MANIFEST-none\n");
            assertThat(failure(threads, memory)).isInstanceOf(DamagedIndexException.class);
            assertThat(memory.limit()).isEqualTo(8 << 20);
        }
    }

    /// With RocksDB's own arenas these take 9 MiB.
    @Test
    void aFewEntriesInEachTableTakeLittle() throws Exception {
        try (var memory = new RocksMemory(2 << 20, 64 << 20);
                var threads = new DriveThreads("index", 1, 2)) {
            var index = open(threads, "index", memory);
            var before = memory.used();
            Await.io(threads.startStep(() -> fill(index)));
            assertThat(memory.used() - before).isLessThan(2 << 20);
            index.close();
        }
    }

    private static void fill(RocksIndex index) throws IOException {
        for (var table : Table.values()) {
            var batch = new IndexBatch();
            for (byte key = 0; key < 10; key++) {
                batch.put(table, new byte[] {key}, new byte[1000]);
            }
            index.write(batch, false);
        }
    }

    private RocksIndex open(DriveThreads threads, String name, RocksMemory memory) throws Exception {
        return Await.io(threads.start(() -> RocksIndex.open(folder.resolve(name), memory)));
    }

    private Exception failure(DriveThreads threads, RocksMemory memory) {
        try {
            open(threads, "second", memory).close();
            throw new AssertionError("a damaged index was opened");
        } catch (Exception expected) {
            return expected;
        }
    }
}
