package dev.sluice.backend.peers;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/// Where the peers are. A test that needs one that is not installed is skipped with a line naming it, or fails when
/// `SLUICE_REQUIRE_PEERS=1`.
public final class Peers {
    private Peers() {}

    /// @param name as `deploy/peers path` knows it: minio, fake-gcs-server, s5cmd, python, aws
    /// @return the executable
    public static Path require(String name) {
        try {
            var process = new ProcessBuilder(script().toString(), "path", name).start();
            var path = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            var says = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (process.waitFor() != 0) {
                missing(says);
            }
            return Path.of(path);
        } catch (IOException e) {
            throw new IllegalStateException("cannot run deploy/peers", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static void missing(String says) {
        if ("1".equals(System.getenv("SLUICE_REQUIRE_PEERS"))) {
            throw new AssertionError(says + " (and SLUICE_REQUIRE_PEERS=1)");
        }
        Assumptions.abort(says);
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
