package dev.sluice.cli.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What lets the JVMs of a build start faster. The script makes it where it is absent, or is of other jars or of
/// another JDK, and ends at once where it is not.
///
/// @param folder of the build
public record StartCache(Path script, Path folder) {

    /// None where the environment says `SLUICE_START_CACHE=off` or `keep`, or the launcher does not say which build
    /// this is. The distribution has a cache, and no script to make another.
    ///
    /// @param scripts the folder of the script
    public static Optional<StartCache> ofInstallation(Path scripts, Map<String, String> environment) {
        var script = scripts.resolve("start-cache");
        return file(environment)
                .filter(_ -> !setting(environment).equals("keep") && Files.exists(script))
                .map(file -> new StartCache(script, file.resolve("..").normalize()));
    }

    /// The cache of JVMs that run nodes. It need not be there.
    public static Optional<Path> file(Map<String, String> environment) {
        return setting(environment).equals("off")
                ? Optional.empty()
                : Optional.ofNullable(System.getProperty("sluice.start.cache")).map(Path::of);
    }

    private static String setting(Map<String, String> environment) {
        return environment.getOrDefault("SLUICE_START_CACHE", "");
    }

    /// Starts the script behind everything else that runs on the machine. It outlives this process.
    public void makeInBackground() throws IOException {
        var builder = new ProcessBuilder(List.of("setsid", "nice", "-n", "19", script.toString(), "--background"));
        builder.environment().put("SLUICE_DIST", folder.toString());
        builder.redirectInput(Path.of("/dev/null").toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("start-cache.log").toFile())
                .start();
    }
}
