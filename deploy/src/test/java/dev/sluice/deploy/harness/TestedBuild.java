package dev.sluice.deploy.harness;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/// The build that the tests start, as Maven has packaged it.
final class TestedBuild {
    private static final Path FOLDER =
            Path.of("..", "cli", "target", "dist-maven").toAbsolutePath().normalize();

    /// What `sluice` is run with. JVM flags are for nodes that live for a minute.
    static final Map<String, String> ENVIRONMENT = Map.of(
            "SLUICE_DIST",
            FOLDER.toString(),
            "SLUICE_START_CACHE",
            "keep",
            "SLUICE_JVM_FLAGS",
            System.getProperty("sluice.test.node.flags", ""));

    private static final Duration MADE = Duration.ofMinutes(3);

    private TestedBuild() {}

    /// Makes what lets its JVMs start faster: once for each build, which takes half a minute. Returns at once when it
    /// is there.
    static void prepareStart() {
        Prepared.START.orFail("");
    }

    /// Made when first asked for.
    private static final class Prepared {
        static final Finished START = Finished.run(
                MADE,
                Map.of(),
                List.of(Repository.root().resolve("deploy/start-cache").toString()));
    }
}
