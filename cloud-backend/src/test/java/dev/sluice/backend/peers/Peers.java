package dev.sluice.backend.peers;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/// Where the peers are, as `deploy/peers` knows. Tests that need one say so by [RequiresPeer].
public final class Peers {
    private Peers() {}

    sealed interface Search {}

    record Found(Path executable) implements Search {}

    /// @param says one line naming the peer and how to get it
    record Missing(String says) implements Search {}

    /// @param name as `deploy/peers path` knows it: minio, fake-gcs-server, s5cmd, python, aws, rclone, data-tools
    /// @return the executable
    public static Path executable(String name) {
        return switch (find(name)) {
            case Found(var executable) -> executable;
            case Missing(var says) -> throw new AssertionError(says);
        };
    }

    static boolean required() {
        return "1".equals(System.getenv("SLUICE_REQUIRE_PEERS"));
    }

    static Search find(String name) {
        try {
            var process = new ProcessBuilder(script().toString(), "path", name).start();
            var path = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            var says = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return process.waitFor() == 0 ? new Found(Path.of(path)) : new Missing(says);
        } catch (IOException e) {
            throw new IllegalStateException("cannot run deploy/peers", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /// The script, from any module's folder.
    private static Path script() {
        return Stream.iterate(Path.of("").toAbsolutePath(), folder -> folder != null, Path::getParent)
                .map(folder -> folder.resolve("deploy").resolve("peers"))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(
                        "no deploy/peers above " + Path.of("").toAbsolutePath()));
    }
}
