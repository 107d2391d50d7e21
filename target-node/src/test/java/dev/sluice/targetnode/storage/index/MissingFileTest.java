package dev.sluice.targetnode.storage.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.concurrent.Await;
import dev.sluice.targetnode.storage.files.DriveThreads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A file that the index needs and has not is noticed at its start; one that it has just stopped needing is not missed.
class MissingFileTest {
    private static final int STARTS = System.getProperty("long") == null ? 40 : 120;

    @TempDir
    private Path folder;

    private interface Step {
        void run(RocksIndex index) throws IOException;
    }

    /// Each start makes a file of the log, and every fourth begins to replace four of them.
    @Test
    void compactionThatBeginsWithTheIndexTakesNoFileThatIsMissed() throws Exception {
        for (int start = 0; start < STARTS; start++) {
            var key = IndexKeys.number(start);
            onIndex(index -> {
                var batch = new IndexBatch();
                for (var table : Table.values()) {
                    batch.put(table, IndexKeys.number(0), new byte[100]).put(table, key, new byte[100]);
                }
                index.write(batch, false);
            });
        }
        onIndex(index -> {
            for (int start = 0; start < STARTS; start++) {
                assertThat(index.get(Table.INTENTS, IndexKeys.number(start))).isPresent();
            }
        });
    }

    @Test
    void missingFileIsNamed() throws Exception {
        onIndex(index -> index.write(new IndexBatch().put(Table.INTENTS, IndexKeys.number(1), new byte[100]), true));
        onIndex(_ -> {});
        Path taken;
        try (var files = Files.list(folder)) {
            taken = files.filter(file -> file.toString().endsWith(".sst"))
                    .findFirst()
                    .orElseThrow();
        }
        Files.delete(taken);
        assertThatThrownBy(() -> onIndex(_ -> {}))
                .isInstanceOf(DamagedIndexException.class)
                .hasMessageContaining(String.valueOf(taken.getFileName()));
    }

    private void onIndex(Step step) throws Exception {
        try (var memory = new RocksMemory(8 << 20, 64 << 20);
                var threads = new DriveThreads("test", 1, 1)) {
            Await.io(threads.startStep(() -> {
                try (var index = RocksIndex.open(folder, memory)) {
                    step.run(index);
                }
            }));
        }
    }
}
