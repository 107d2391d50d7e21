package dev.sluice.targetnode.storage.space;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.concurrent.Await;
import dev.sluice.targetnode.storage.files.DriveThreads;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.index.RocksIndex;
import dev.sluice.targetnode.storage.index.RocksMemory;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.record.ObjectKey;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AccessTimesTest {
    private static final int BOUND = 8192;

    @TempDir
    private Path folder;

    private static Map<String, Long> entered(RocksIndex index) throws IOException {
        var entered = new HashMap<String, Long>();
        index.scan(Table.ACCESS, new byte[0], (key, value) -> {
            entered.put(IndexKeys.keyOf(key), IndexKeys.number(value));
            return true;
        });
        return entered;
    }

    @Test
    void soManyWaitAndNoMoreAndTheNewestCounts() throws Exception {
        try (var memory = new RocksMemory(1 << 20, 1 << 20);
                var thread = new DriveThreads("test", 1, 1)) {
            Await.io(thread.startStep(() -> {
                try (var index = RocksIndex.open(folder, memory)) {
                    readAndFlush(index);
                }
            }));
        }
    }

    private static void readAndFlush(RocksIndex index) throws IOException {
        var times = new AccessTimes(() -> 70, index);
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 2 * BOUND; i++) {
                times.read(new ObjectKey(3, "k" + (round * 2 * BOUND + i)), times.minute());
            }
            times.flush();
            assertThat(entered(index)).hasSize((round + 1) * BOUND).containsEntry("k5", 70L);
        }
        times.read(new ObjectKey(3, "k5"), 71);
        times.read(new ObjectKey(3, "k5"), 72);
        assertThat(times.isJustRead(new ObjectKey(3, "k5"))).isTrue();
        times.flush();
        assertThat(times.isJustRead(new ObjectKey(3, "k5"))).isFalse();
        assertThat(entered(index)).containsEntry("k5", 72L);
    }
}
