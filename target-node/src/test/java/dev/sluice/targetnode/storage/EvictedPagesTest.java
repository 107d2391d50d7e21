package dev.sluice.targetnode.storage;

import static dev.sluice.targetnode.storage.StoreFixture.BUCKET;
import static dev.sluice.targetnode.storage.StoreFixture.config;
import static dev.sluice.targetnode.storage.StoreFixture.drives;
import static dev.sluice.targetnode.storage.StoreFixture.get;
import static dev.sluice.targetnode.storage.StoreFixture.put;
import static dev.sluice.targetnode.storage.StoreFixture.random;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// An event loop sends what needs no drive, and nothing else: verified bytes that the kernel has dropped
/// meanwhile would make it wait for the drive, and all other drives' readers with it.
@Timeout(60)
class EvictedPagesTest {
    private static final int BLOCK = 1 << 20;

    @TempDir
    private Path folder;

    @Test
    void whatHasLeftThePageCacheIsReadByADriveThreadAndComparedAgain() throws Exception {
        PageCache.assumeTools();
        var reads = new AtomicInteger();
        var counted = FaultyFiles.with((call, path) -> {
            if (call.equals("read") && path.endsWith("/k")) {
                reads.incrementAndGet();
            }
        });
        try (var store = ObjectStore.open(config(drives(folder, 1)), counted)) {
            var content = random(1, 2 * BLOCK);
            put(store, "k", content);
            assertThat(get(store, "k")).isEqualTo(content);
            try (var object = store.hot(BUCKET.id(), "k").orElseThrow()) {
                assertThat(object.ready(0, 2 * BLOCK)).isTrue();
                var file = folder.resolve("d1/objects/shards/k");
                PageCache.drop(file);
                assumeTrue(PageCache.of(file) == 0, "skipped: the file system of " + folder + " keeps its pages");
                assertThat(object.ready(0, BLOCK)).as("dropped").isFalse();
                assertThat(object.ready(BLOCK + 1000, 1)).as("dropped").isFalse();

                reads.set(0);
                object.prepare(0, BLOCK).toCompletableFuture().join();
                assertThat(reads).as("reads of the whole block").hasValueGreaterThanOrEqualTo(BLOCK / (256 << 10));
                assertThat(object.ready(0, BLOCK)).isTrue();
                assertThat(object.ready(0, 0)).isTrue();
            }
        }
    }
}
