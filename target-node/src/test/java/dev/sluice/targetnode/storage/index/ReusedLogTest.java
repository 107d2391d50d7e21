package dev.sluice.targetnode.storage.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.concurrent.Await;
import dev.sluice.targetnode.storage.files.DriveThreads;
import dev.sluice.testing.Bytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A log that is written over has the records of an earlier one behind its end. A killed process leaves it so: what is
/// copied from under an open index.
class ReusedLogTest {
    private static final int WRITES = 1200;
    private static final int BYTES = 100_000;
    private static final byte[] NONE = {};

    @TempDir
    private Path folder;

    private interface Step {
        void run(RocksIndex index) throws IOException;
    }

    @Test
    void aStartReadsToTheEndOfAReusedLogAndNoFurther() throws Exception {
        var killed = folder.resolve("killed");
        onIndex(folder.resolve("index"), index -> {
            fill(index);
            copy(folder.resolve("index"), killed);
        });
        assertThat(Files.readString(folder.resolve("index/LOG"))).contains("reusing log");
        onIndex(killed, index -> {
            for (int i = 0; i < WRITES; i++) {
                var found = index.get(Table.INTENTS, IndexKeys.number(i)).orElse(NONE);
                assertThat(found).as("write %d", i).isEqualTo(i % 2 == 0 ? value(i) : NONE);
            }
        });
    }

    @Test
    void aLossInTheMiddleOfAReusedLogIsNoticed() throws Exception {
        var killed = folder.resolve("killed");
        onIndex(folder.resolve("index"), index -> {
            fill(index);
            copy(folder.resolve("index"), killed);
        });
        flip(newestLog(killed), 5_000);
        assertThatThrownBy(() -> onIndex(killed, _ -> {}))
                .isInstanceOf(DamagedIndexException.class)
                .hasMessageContaining("has lost synced writes");
    }

    /// Every second entry goes again; the last write is synced.
    private static void fill(RocksIndex index) throws IOException {
        for (int i = 0; i < WRITES; i++) {
            index.write(new IndexBatch().put(Table.INTENTS, IndexKeys.number(i), value(i)), false);
            if (i % 2 == 1) {
                index.write(new IndexBatch().delete(Table.INTENTS, IndexKeys.number(i)), i == WRITES - 1);
            }
        }
    }

    private static byte[] value(int number) {
        return Bytes.random(number, BYTES);
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (var files = Files.list(from)) {
            for (var file : files.toList()) {
                try {
                    Files.copy(file, to.resolve(file.getFileName()));
                } catch (java.nio.file.NoSuchFileException _) {
                    // RocksDB has just deleted or renamed it, as it may
                }
            }
        }
    }

    private static Path newestLog(Path index) throws IOException {
        try (var files = Files.list(index)) {
            List<Path> logs =
                    files.filter(file -> file.toString().endsWith(".log")).toList();
            return logs.stream().max(Comparator.comparing(Path::getFileName)).orElseThrow();
        }
    }

    private static void flip(Path file, long at) throws IOException {
        try (var channel = java.nio.channels.FileChannel.open(
                file, java.nio.file.StandardOpenOption.READ, java.nio.file.StandardOpenOption.WRITE)) {
            var one = ByteBuffer.allocate(1);
            channel.read(one, at);
            one.put(0, (byte) (one.get(0) ^ 0x10)).rewind();
            channel.write(one, at);
        }
    }

    private static void onIndex(Path folder, Step step) throws Exception {
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
