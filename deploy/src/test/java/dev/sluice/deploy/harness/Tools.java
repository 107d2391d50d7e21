package dev.sluice.deploy.harness;

import dev.sluice.backend.peers.Peers;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.testcontainers.DockerClientFactory;

/// Programs that a test needs. One that is absent skips the test with a line, or fails it
/// when `SLUICE_REQUIRE_PEERS=1`.
public final class Tools {
    private Tools() {}

    /// @param name as `deploy/peers path` knows it
    public static Path peer(String name) {
        try {
            return Peers.executable(name);
        } catch (AssertionError absent) {
            throw missing(String.valueOf(absent.getMessage()));
        }
    }

    /// One that is new enough to sign.
    public static String signingCurl() {
        try {
            var help = Finished.run(Duration.ofSeconds(20), Map.of(), List.of("curl", "--help", "all"));
            if (help.outText().contains("--aws-sigv4")) {
                return "curl";
            }
            throw missing("curl is too old to sign (--aws-sigv4)");
        } catch (UncheckedIOException absent) {
            throw missing("curl is not on the PATH");
        }
    }

    /// Docker, or another engine with its API, where Testcontainers finds one.
    public static void containerEngine() {
        if (!DockerClientFactory.instance().isDockerAvailable()) {
            Assumptions.abort("there is no container engine: Testcontainers finds neither DOCKER_HOST nor its socket");
        }
    }

    private static AssertionError missing(String says) {
        if ("1".equals(System.getenv("SLUICE_REQUIRE_PEERS"))) {
            return new AssertionError(says + " (and SLUICE_REQUIRE_PEERS=1)");
        }
        return Assumptions.abort(says);
    }
}
