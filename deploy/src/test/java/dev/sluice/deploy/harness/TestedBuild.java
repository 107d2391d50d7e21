package dev.sluice.deploy.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;

/// The build that the tests start, as Maven has packaged it.
final class TestedBuild {
    private static final Path FOLDER =
            Path.of("..", "cli", "target", "dist-maven").toAbsolutePath().normalize();

    /// `off`: there is no cache, and none is made; for a run that is too short for it.
    private static final String CACHE = System.getenv().getOrDefault("SLUICE_START_CACHE", "keep");

    /// What `sluice` is run with. JVM flags are for nodes that live for a minute.
    static final Map<String, String> ENVIRONMENT = Map.of(
            "SLUICE_DIST",
            FOLDER.toString(),
            "SLUICE_START_CACHE",
            CACHE,
            "SLUICE_JVM_FLAGS",
            System.getProperty("sluice.test.node.flags", ""),
            "SLUICE_START_SECONDS", // the machine is busy with other tests
            "180");

    private TestedBuild() {}

    /// Begins to make what lets its JVMs start faster, once for each build. Until it is there, they start without.
    static void prepareStart() {
        if (!CACHE.equals("off")) {
            Preparing.begin();
        }
    }

    /// Begun when first asked for. It goes on while tests come and go.
    private static final class Preparing {
        private static final Path LOG = Path.of("target", "start-cache.log");

        @SuppressWarnings("UnusedVariable") // it is started once, by the first who comes
        private static final Process MAKER = start();

        static void begin() {}

        private static Process start() {
            var maker = new ProcessBuilder(
                            Repository.root().resolve("deploy/start-cache").toString(), "--background", "--short")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(LOG.toFile()));
            maker.environment().putAll(ENVIRONMENT);
            maker.environment().put(SharedClusters.SHARED, "by all tests of the run");
            try {
                return maker.start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
