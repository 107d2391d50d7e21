package dev.sluice.targetnode.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// What the kernel has of files in memory.
final class PageCache {
    private PageCache() {}

    static void assumeTools() {
        assumeTrue(has("fincore") && has("dd"), "skipped: needs fincore (util-linux) and dd");
    }

    private static String run(String... command) throws IOException, InterruptedException {
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor() == 0 ? output.strip() : "failed: " + output;
    }

    /// Bytes of a file that are in the page cache.
    static long of(Path file) throws IOException, InterruptedException {
        return Long.parseLong(run("fincore", "--bytes", "--noheadings", "--output", "RES", file.toString()));
    }

    /// Writes back what is dirty, and lets go of all of it that nobody holds.
    static void drop(Path file) throws IOException, InterruptedException {
        assertThat(run("sync", file.toString())).isEmpty();
        run("dd", "if=" + file, "iflag=nocache", "count=0");
    }

    private static boolean has(String tool) {
        return List.of(System.getenv().getOrDefault("PATH", "").split(":")).stream()
                .anyMatch(path -> Files.isExecutable(Path.of(path, tool)));
    }
}
