package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deploy.harness.Distribution;
import dev.sluice.deploy.harness.Eventually;
import dev.sluice.deploy.harness.Image;
import dev.sluice.deploy.harness.Repository;
import dev.sluice.deploy.harness.Tools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The content of the image, in a file system of Debian (`deploy/peers install debian`): a cluster in it serves, is
/// healthy, ends at SIGTERM, and says in one line that it cannot write its volume.
@Tag("long")
@Tag("peers")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
final class ImageTest {
    private static final Duration START = Duration.ofSeconds(90);
    private static final long GRACE_SECONDS = 40;
    private static final int TERMINATED = 128 + 15;

    @TempDir
    private Path folder;

    private Image image() throws IOException {
        var base = Tools.peer("debian").resolve("../../..").normalize();
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        var context = Files.createDirectories(folder.resolve("context"));
        Distribution.make(Files.createDirectory(context.resolve("dist")), "--no-start-cache");
        var docker = Repository.root().resolve("deploy/docker");
        Files.createDirectories(context.resolve("deploy/docker"));
        Files.copy(
                docker.resolve("health"),
                context.resolve("deploy/docker/health"),
                java.nio.file.StandardCopyOption.COPY_ATTRIBUTES);
        return Image.build(base, docker.resolve("Dockerfile"), context, folder.resolve("image"));
    }

    @Test
    void clusterInTheImageServesAndEndsAtSigterm() throws Exception {
        var image = image();
        assertThat(image.checkHealth(1).exit()).as("nobody listens").isNotZero();
        var port = Distribution.port();
        var output = folder.resolve("output");
        var cluster = image.start("true", output, "--port", port, "--targets", "3");
        try {
            Eventually.within(
                    START, () -> image.checkHealth(Integer.parseInt(port)).orFail(Files.readString(output)));
            Files.writeString(image.root().resolve("tmp/object"), "what was put\n");
            image.exec("sluice", "bucket", "create", "shards").orFail("");
            image.exec("sluice", "put", "/tmp/object", "shards/object").orFail("");
            assertThat(image.exec("sluice", "cat", "shards/object").orFail("").outText())
                    .isEqualTo("what was put\n");
            assertThat(Files.readString(Path.of("/proc/%d/status".formatted(cluster.pid()))))
                    .containsPattern("Uid:\\s+65532\\s");
        } finally {
            cluster.destroy(); // SIGTERM
        }
        assertThat(cluster.waitFor(GRACE_SECONDS, TimeUnit.SECONDS))
                .as("it ended")
                .isTrue();
        assertThat(cluster.exitValue()).as(Files.readString(output)).isIn(0, TERMINATED);
        assertThat(image.checkHealth(Integer.parseInt(port)).exit())
                .as("nothing is left")
                .isNotZero();
    }

    @Test
    void volumeThatCannotBeWrittenIsNamedInOneLine() throws Exception {
        var image = image();
        var output = folder.resolve("output");
        var refused = image.start("mount -t tmpfs -o ro none %s/data".formatted(image.root()), output);
        assertThat(refused.waitFor(GRACE_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(refused.exitValue()).isNotZero();
        assertThat(Files.readAllLines(output)).hasSize(1).first().asString().contains("/data");
    }
}
