package dev.sluice.cli.command.cluster;

import dev.sluice.cli.cluster.ClusterDown;
import dev.sluice.cli.command.DirOption;
import dev.sluice.cli.command.Installation;
import dev.sluice.cli.command.Specs;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// `sluice down`.
@Command(
        name = "down",
        description = "Stops what `up` started in DIR; the data stays.",
        mixinStandardHelpOptions = true)
public final class DownCommand implements Callable<Integer> {
    private final Installation installation;

    @Mixin
    private final DirOption dir = new DirOption();

    @Option(names = "--grace", paramLabel = "SECONDS", defaultValue = "30", description = "Then SIGKILL (default 30).")
    private int grace;

    @Spec
    private @Nullable CommandSpec spec;

    public DownCommand(Installation installation) {
        this.installation = installation;
    }

    @Override
    public Integer call() {
        var layout = dir.layout(installation);
        var outcome = new ClusterDown(layout).down(Duration.ofSeconds(grace));
        var out = Specs.out(spec);
        outcome.killed()
                .forEach(process ->
                        out.println("process " + process.pid() + " did not stop in " + grace + " s: killed"));
        out.println(
                outcome.stopped() == 0 ? "nothing runs in " + layout.dir() : "stopped; the data is in " + layout.dir());
        return 0;
    }
}
