package dev.sluice.cli.command;

import dev.sluice.cli.demo.live.LiveStarter;
import dev.sluice.cli.node.NodeFactory;
import dev.sluice.cli.node.Nodes;
import dev.sluice.cli.process.JvmCommand;
import dev.sluice.cli.process.StartCache;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/// What commands need from where they run: how to start node JVMs, what makes nodes, the environment, and what makes
/// later starts faster.
public record Installation(
        JvmCommand jvm, Supplier<NodeFactory> nodes, Map<String, String> environment, Optional<StartCache> startCache) {

    /// As the launcher says where things are: of a source checkout, or of the distribution.
    public static Installation ofLauncher(Class<?> main, Map<String, String> environment) {
        var scripts = Path.of(System.getProperty("sluice.scripts", "deploy")).toAbsolutePath();
        return new Installation(
                JvmCommand.ofInstallation(scripts, main.getName(), environment),
                Nodes::factory,
                environment,
                StartCache.ofInstallation(scripts, environment));
    }

    /// The command as its user typed it.
    public static String typed() {
        return System.getProperty("sluice.typed", "./sluice");
    }

    /// What starts a demo: in `$TMPDIR`, else where Java puts temporary files.
    public LiveStarter demo() {
        var temporary = environment.getOrDefault("TMPDIR", System.getProperty("java.io.tmpdir"));
        return new LiveStarter(jvm, environment, Path.of(temporary).toAbsolutePath());
    }

    /// `$SLUICE_DIR`, else `.sluice` in the user's home.
    public Path defaultDir() {
        var given = environment.get("SLUICE_DIR");
        return given == null || given.isEmpty() ? Path.of(System.getProperty("user.home"), ".sluice") : Path.of(given);
    }
}
