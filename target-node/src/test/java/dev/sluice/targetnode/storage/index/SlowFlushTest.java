package dev.sluice.targetnode.storage.index;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.concurrent.Await;
import dev.sluice.targetnode.storage.files.DriveThreads;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.AbstractEventListener;
import org.rocksdb.FlushJobInfo;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;

/// The threads that write the files of indexes belong to the process.
class SlowFlushTest {
    private static final int BYTES = 1 << 20;

    /// More than may wait in memory while no file is written.
    private static final int WRITES = 200;

    @TempDir
    private Path folder;

    private static final class Held extends AbstractEventListener {
        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch released = new CountDownLatch(1);

        Held() {
            super(EnabledEventCallback.ON_FLUSH_BEGIN);
        }

        @Override
        public void onFlushBegin(RocksDB database, FlushJobInfo info) {
            begun.countDown();
            try {
                released.await();
            } catch (InterruptedException impossible) {
                throw new IllegalStateException(impossible);
            }
        }
    }

    @Test
    void anIndexIsWrittenWhileTheFileOfAnotherIsNotFinished() throws Exception {
        try (var memory = new RocksMemory(8 << 20, 64 << 20);
                var held = new Held();
                var threads = new DriveThreads("index", 2, 2)) {
            var first = Await.io(threads.start(() -> RocksIndex.open(folder.resolve("first"), memory)));
            var second = Await.io(threads.start(() -> RocksIndex.open(folder.resolve("second"), memory)));
            try (var options = new Options().setCreateIfMissing(true).setListeners(List.of(held));
                    var slow = RocksDB.open(options, folder.resolve("slow").toString());
                    var noWait = new FlushOptions().setWaitForFlush(false)) {
                slow.put(new byte[1], new byte[1]);
                slow.flush(noWait);
                assertThat(held.begun.await(30, TimeUnit.SECONDS)).isTrue();
                try {
                    var written = threads.startStep(() -> fill(second));
                    assertThat(written).succeedsWithin(Duration.ofSeconds(60));
                } finally {
                    held.released.countDown();
                }
            } finally {
                first.close();
                second.close();
            }
        }
    }

    private static void fill(RocksIndex index) throws IOException {
        for (int i = 0; i < WRITES; i++) {
            var batch = new IndexBatch();
            batch.put(Table.INTENTS, IndexKeys.number(i), new byte[BYTES]);
            index.write(batch, false);
        }
    }
}
