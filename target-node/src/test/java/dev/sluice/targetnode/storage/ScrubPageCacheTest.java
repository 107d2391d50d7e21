package dev.sluice.targetnode.storage;

import static dev.sluice.targetnode.storage.StoreFixture.drives;
import static dev.sluice.targetnode.storage.StoreFixture.put;
import static dev.sluice.targetnode.storage.StoreFixture.random;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A scrub leaves the page cache as it is: what readers have there stays, what they have not does not come.
@Timeout(60)
class ScrubPageCacheTest {
    private static final int SIZE = 8 << 20;

    @TempDir
    private Path folder;

    private static String run(String... command) throws IOException, InterruptedException {
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor() == 0 ? output.strip() : "failed: " + output;
    }

    /// Bytes of a file that are in the page cache.
    private static long cached(Path file) throws IOException, InterruptedException {
        return Long.parseLong(run("fincore", "--bytes", "--noheadings", "--output", "RES", file.toString()));
    }

    private static void drop(Path file) throws IOException, InterruptedException {
        assertThat(run("sync", file.toString())).isEmpty();
        run("dd", "if=" + file, "iflag=nocache", "count=0");
    }

    private static boolean has(String tool) {
        return List.of(System.getenv().getOrDefault("PATH", "").split(":")).stream()
                .anyMatch(path -> Files.isExecutable(Path.of(path, tool)));
    }

    @Test
    void aScrubNeitherFillsNorEmptiesThePageCache() throws Exception {
        assumeTrue(has("fincore") && has("dd"), "skipped: needs fincore (util-linux) and dd");
        try (var target = new ScrubFixture(drives(folder, 1))) {
            put(target.store, "warm", random(1, SIZE));
            put(target.store, "cold", random(2, SIZE));
            var warm = folder.resolve("d1/objects/shards/warm");
            var cold = folder.resolve("d1/objects/shards/cold");
            drop(cold);
            assumeTrue(
                    cached(cold) == 0 && cached(warm) == SIZE,
                    "skipped: the file system of " + folder + " does not let go of its pages, or has none");
            assertThat(target.scrub()).isEmpty();
            assertThat(target.status().bytes()).isEqualTo(2L * SIZE);
            assertThat(cached(cold)).as("not filled").isZero();
            assertThat(cached(warm)).as("not emptied").isEqualTo(SIZE);
        }
    }
}
