package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deploy.harness.Distribution;
import dev.sluice.testing.Notes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The tarball of `deploy/dist`, unpacked into a read-only folder elsewhere, without a JDK or Maven to be found.
final class DistributionTest {
    private static final Pattern CACHED = Pattern.compile("dev\\.sluice\\.\\S+ source: shared objects file");
    private static final Pattern READ = Pattern.compile("dev\\.sluice\\.\\S+ source: (jar|file):");

    @TempDir
    private Path folder;

    @Test
    @Tag("long")
    @Timeout(300)
    void unpackedTarballServesObjectsWithoutJdk() throws IOException {
        var distribution = storeAndRead(Distribution.make(folder, "--no-start-cache"));
        assertThat(distribution.sluice("--version").outText())
                .matches("sluice \\d\\S* \\(commit (unknown|[0-9a-f]{12}(-changed)?)\\)\\n");
        assertThat(distribution.folder().resolve("completion/sluice.bash"))
                .content()
                .contains("prefetch");
        assertThat(distribution.folder().resolve("LICENSE")).exists();
        assertThat(distribution.folder().resolve("python/src/sluice/__init__.py"))
                .exists();
    }

    @Test
    @Tag("long")
    @Timeout(900)
    void unpackedTarballUsesItsStartCache() throws IOException {
        var distribution = storeAndRead(Distribution.make(folder));
        assertUsesCache(nodes(distribution), 500);
        assertUsesCache(command(distribution), 20);
    }

    private Distribution storeAndRead(Path tarball) throws IOException {
        var object = Files.writeString(folder.resolve("object"), "what was put\n");
        long began = System.nanoTime();
        var distribution = Distribution.unpack(tarball, folder);
        try {
            var flags = logging("SLUICE_JVM_FLAGS", nodes(distribution));
            distribution
                    .attempt(flags, "up", "--targets", "3", "--port", Distribution.port())
                    .orFail("");
            distribution.sluice("bucket", "create", "shards");
            distribution.sluice("put", object.toString(), "shards/a/object");
            var read = distribution
                    .attempt(logging("JDK_JAVA_OPTIONS", command(distribution)), "cat", "shards/a/object")
                    .orFail("");
            var took = (System.nanoTime() - began) / 1e9;
            assertThat(read.outText()).isEqualTo("what was put\n");
            Notes.add("DistributionTest: %.1f s from the tarball of %d MB to the first GET"
                    .formatted(took, Files.size(tarball) / 1_000_000));
            assertThat(distribution.program()).isEqualTo(distribution.folder().resolve("runtime/bin/java"));
            return distribution;
        } finally {
            distribution.sluice("down");
        }
    }

    private static Path nodes(Distribution distribution) {
        return distribution.home().resolve("nodes.log");
    }

    private static Path command(Distribution distribution) {
        return distribution.home().resolve("command.log");
    }

    private static Map<String, String> logging(String variable, Path log) {
        return Map.of(variable, "-Xlog:class+load:file=" + log);
    }

    private static void assertUsesCache(Path log, int least) throws IOException {
        var loaded = Files.readAllLines(log);
        var read = loaded.stream().filter(READ.asPredicate()).toList();
        assertThat(loaded.stream().filter(CACHED.asPredicate()).count())
                .as("classes of Sluice from the start cache; from jars: %s", read)
                .isGreaterThan(Math.max(least, 5L * read.size()));
    }
}
