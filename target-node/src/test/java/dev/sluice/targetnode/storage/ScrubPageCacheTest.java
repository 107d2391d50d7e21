package dev.sluice.targetnode.storage;

import static dev.sluice.targetnode.storage.StoreFixture.drives;
import static dev.sluice.targetnode.storage.StoreFixture.put;
import static dev.sluice.testing.Bytes.random;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A scrub leaves the page cache as it is: what readers have there stays, what they have not does not come.
@Timeout(60)
class ScrubPageCacheTest {
    private static final int SIZE = 8 << 20;

    @TempDir
    private Path folder;

    @Test
    void aScrubNeitherFillsNorEmptiesThePageCache() throws Exception {
        PageCache.assumeTools();
        try (var target = new ScrubFixture(drives(folder, 1))) {
            put(target.store, "warm", random(1, SIZE));
            put(target.store, "cold", random(2, SIZE));
            var warm = folder.resolve("d1/objects/shards/warm");
            var cold = folder.resolve("d1/objects/shards/cold");
            PageCache.drop(cold);
            assumeTrue(
                    PageCache.of(cold) == 0 && PageCache.of(warm) == SIZE,
                    "skipped: the file system of " + folder + " does not let go of its pages, or has none");
            assertThat(target.scrub()).isEmpty();
            assertThat(target.status().bytes()).isEqualTo(2L * SIZE);
            assertThat(PageCache.of(cold)).as("not filled").isZero();
            assertThat(PageCache.of(warm)).as("not emptied").isEqualTo(SIZE);
        }
    }
}
