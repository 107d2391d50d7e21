package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deploy.harness.Eventually;
import dev.sluice.deploy.harness.Repository;
import dev.sluice.deploy.harness.SluiceCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What `up` makes for the next start, in a build of its own: with the jars of the tests' build.
@Tag("long")
final class StartCacheTest {
    private static final Duration MADE = Duration.ofMinutes(9);

    @TempDir
    private Path folder;

    private Path build = Path.of("");

    @BeforeEach
    void choose() throws IOException {
        build = Files.createDirectory(folder.resolve("build"));
        var built = Repository.root().resolve("cli/target/dist-maven");
        for (var part : List.of("lib", "native")) {
            Files.createSymbolicLink(build.resolve(part), built.resolve(part));
        }
    }

    private SluiceCluster start(String setting) {
        var environment = Map.of("SLUICE_DIST", build.toString(), "SLUICE_START_CACHE", setting);
        return SluiceCluster.start(folder.resolve("cluster-" + setting), environment, "--targets", "1");
    }

    private static String commandLine(SluiceCluster cluster) throws IOException {
        return Files.readString(Path.of("/proc/" + cluster.nodes().getFirst().pid() + "/cmdline"));
    }

    private void leaveStaleCaches() throws IOException {
        Files.writeString(build.resolve("nodes.aot"), "of another JDK\n".repeat(10_000));
        Files.writeString(build.resolve("command.aot"), "");
    }

    @Test
    void aCacheThatIsOfNoUseBreaksNoStart() throws IOException {
        leaveStaleCaches();
        var holder = new ProcessBuilder("flock", build + "/start-cache.lock", "sh", "-c", "echo held; cat").start();
        try (var said = holder.inputReader()) {
            assertThat(said.readLine()).isEqualTo("held");
            try (var cluster = start("")) {
                assertThat(commandLine(cluster)).contains("-XX:AOTCache=" + build.resolve("nodes.aot"));
                assertThat(cluster.lastWords()).doesNotContain("[aot]");
            }
            try (var cluster = start("off")) {
                assertThat(commandLine(cluster)).doesNotContain("-XX:AOTCache");
            }
        } finally {
            holder.destroy();
        }
        assertThat(log()).as("of a script that found another at work").isEmpty();
    }

    @Test
    void upMakesACacheInPlaceOfAStaleOneAndTheNextUpUsesIt() throws IOException {
        leaveStaleCaches();
        try (var cluster = start("")) {
            assertThat(commandLine(cluster)).contains("-XX:AOTCache=" + build.resolve("nodes.aot"));
            Eventually.holds(
                    MADE,
                    () -> assertThat(build.resolve("start-cache.key")).as(log()).exists());
            assertThat(Files.size(build.resolve("nodes.aot"))).isGreaterThan(10_000_000);
            assertThat(Files.size(build.resolve("command.aot"))).isGreaterThan(5_000_000);
            cluster.down();
            var first = Files.getLastModifiedTime(build.resolve("nodes.aot"));
            cluster.up();
            assertThat(commandLine(cluster)).contains("-XX:AOTCache=" + build.resolve("nodes.aot"));
            Eventually.holds(MADE, () -> assertThat(log()).isEmpty());
            assertThat(Files.getLastModifiedTime(build.resolve("nodes.aot"))).isEqualTo(first);
        }
    }

    private String log() {
        try {
            return Files.readString(build.resolve("start-cache.log"));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
