package dev.sluice.cli.command.cluster;

import dev.sluice.cli.cluster.NodeControl;
import dev.sluice.cli.command.DirOption;
import dev.sluice.cli.command.Installation;
import dev.sluice.cli.command.Specs;
import dev.sluice.cli.process.StartLimit;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `sluice node stop|start|kill ID`.
public final class NodeCommands {
    private NodeCommands() {}

    @Command(name = "stop", description = "Ends a node in order (SIGTERM).", mixinStandardHelpOptions = true)
    public static final class Stop extends OnNode {
        @Option(
                names = "--grace",
                paramLabel = "SECONDS",
                defaultValue = "30",
                description = "Then SIGKILL (default 30).")
        private int grace;

        public Stop(Installation installation) {
            super(installation);
        }

        @Override
        String act(NodeControl control, String id) {
            return control.stop(id, Duration.ofSeconds(grace));
        }
    }

    @Command(name = "start", description = "Starts a node again.", mixinStandardHelpOptions = true)
    public static final class Start extends OnNode {
        public Start(Installation installation) {
            super(installation);
        }

        @Override
        String act(NodeControl control, String id) throws InterruptedException {
            return control.start(id);
        }
    }

    @Command(name = "kill", description = "Ends a node as a crash would (SIGKILL).", mixinStandardHelpOptions = true)
    public static final class Kill extends OnNode {
        public Kill(Installation installation) {
            super(installation);
        }

        @Override
        String act(NodeControl control, String id) {
            return control.kill(id);
        }
    }

    abstract static class OnNode implements Callable<Integer> {
        private final Installation installation;

        @Mixin
        private final DirOption dir = new DirOption();

        @Parameters(paramLabel = "ID", description = "The node, e.g. target002.")
        private String id = "";

        @Spec
        private @Nullable CommandSpec spec;

        OnNode(Installation installation) {
            this.installation = installation;
        }

        abstract String act(NodeControl control, String id) throws InterruptedException;

        @Override
        public Integer call() throws InterruptedException {
            var control = new NodeControl(
                    dir.layout(installation), installation.jvm(), StartLimit.of(installation.environment()));
            Specs.out(spec).println(act(control, id));
            return 0;
        }
    }
}
