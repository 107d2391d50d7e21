package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deploy.harness.Distribution;
import dev.sluice.deploy.harness.Repository;
import dev.sluice.deploy.harness.Tools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.images.builder.ImageFromDockerfile;
import org.testcontainers.images.builder.Transferable;

/// The image of deploy/docker/Dockerfile in a container engine: with a root that is read-only it becomes healthy, keeps
/// an object, and ends at SIGTERM. [ImageTest] does the same without an engine.
@Tag("long")
@Timeout(value = 15, unit = TimeUnit.MINUTES)
final class ContainerTest {
    private static final Duration START = Duration.ofMinutes(2);
    private static final int GRACE_SECONDS = 40;
    private static final Long TERMINATED = 128L + 15;

    @TempDir
    private Path folder;

    @Test
    void imageServesReadOnlyAndEndsAtSigterm() throws Exception {
        Tools.containerEngine();
        try (var container = new GenericContainer<>(image())) {
            container
                    .withExposedPorts(8080)
                    .withTmpFs(Map.of("/tmp", "rw"))
                    .withCreateContainerCmdModifier(
                            create -> create.getHostConfig().withReadonlyRootfs(true))
                    .waitingFor(Wait.forHealthcheck().withStartupTimeout(START))
                    .start();
            container.copyFileToContainer(Transferable.of("what was put\n"), "/data/object");
            sluice(container, "bucket", "create", "shards");
            sluice(container, "put", "/data/object", "shards/object");
            assertThat(sluice(container, "cat", "shards/object")).isEqualTo("what was put\n");

            var docker = container.getDockerClient();
            var id = container.getContainerId();
            docker.stopContainerCmd(id).withTimeout(GRACE_SECONDS).exec();
            assertThat(docker.inspectContainerCmd(id).exec().getState().getExitCodeLong())
                    .isIn(0L, TERMINATED);
        }
    }

    private ImageFromDockerfile image() throws IOException {
        var tarball = Distribution.make(Files.createDirectory(folder.resolve("dist")), "--no-start-cache");
        var docker = Repository.root().resolve("deploy/docker");
        return new ImageFromDockerfile("sluice-test", true)
                .withFileFromPath("Dockerfile", docker.resolve("Dockerfile"))
                .withFileFromPath("deploy/docker/health", docker.resolve("health"))
                .withFileFromPath("dist/" + tarball.getFileName(), tarball);
    }

    private static String sluice(GenericContainer<?> container, String... arguments) throws Exception {
        var command = new String[arguments.length + 1];
        command[0] = "sluice";
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        var result = container.execInContainer(command);
        assertThat(result.getExitCode()).as(result.getStderr()).isZero();
        return result.getStdout();
    }
}
