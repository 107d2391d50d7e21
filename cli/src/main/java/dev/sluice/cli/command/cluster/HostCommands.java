package dev.sluice.cli.command.cluster;

import dev.sluice.cli.command.Installation;
import dev.sluice.cli.config.ConfigFiles;
import dev.sluice.cli.config.NodeConfig;
import dev.sluice.cli.config.NodeRole;
import dev.sluice.cli.failure.CommandFailure;
import dev.sluice.cli.node.NodeHosting;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// Commands whose JVM runs nodes: `proxy`, `target`, and `run`, which `up` uses.
public final class HostCommands {
    private HostCommands() {}

    @Command(name = "proxy", description = "Runs one proxy in the foreground.", mixinStandardHelpOptions = true)
    public static final class Proxy extends OneNode {
        public Proxy(Installation installation) {
            super(installation, NodeRole.PROXY);
        }
    }

    @Command(name = "target", description = "Runs one target in the foreground.", mixinStandardHelpOptions = true)
    public static final class Target extends OneNode {
        public Target(Installation installation) {
            super(installation, NodeRole.TARGET);
        }
    }

    abstract static class OneNode implements Callable<Integer> {
        private final Installation installation;
        private final NodeRole role;

        @Option(names = "--config", paramLabel = "FILE", required = true, description = "The node's settings.")
        private Path file = Path.of("");

        OneNode(Installation installation, NodeRole role) {
            this.installation = installation;
            this.role = role;
        }

        @Override
        public Integer call() throws InterruptedException {
            var config = ConfigFiles.node(file, installation.environment());
            if (config.node().role() != role) {
                throw CommandFailure.refused("%s: node.role is %s; run it with sluice %s"
                        .formatted(file, config.node().role(), config.node().role()));
            }
            return NodeHosting.alone(config).run(installation.nodes());
        }
    }

    @Command(name = "run", hidden = true, description = "The process that `up` starts.")
    public static final class Run implements Callable<Integer> {
        private final Installation installation;

        @Option(names = "--dir", required = true)
        private Path dir = Path.of("");

        @Option(names = "--name", required = true)
        private String name = "";

        @Option(names = "--config", required = true)
        private List<Path> files = List.of();

        public Run(Installation installation) {
            this.installation = installation;
        }

        @Override
        public Integer call() throws InterruptedException {
            // The keys are in the files that `up` wrote; the environment of a later shell does not change them.
            List<NodeConfig> configs =
                    files.stream().map(file -> ConfigFiles.node(file, Map.of())).toList();
            return NodeHosting.inDir(dir, name, configs).run(installation.nodes());
        }
    }
}
