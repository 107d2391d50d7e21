package dev.sluice.cli.command.cluster;

import dev.sluice.cli.command.ClusterOptions;
import dev.sluice.cli.command.Installation;
import dev.sluice.cli.command.Output;
import dev.sluice.cli.command.Specs;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// `sluice ui`: the way to the cluster's page.
@Command(
        name = "ui",
        description =
                "Prints a link to the cluster's page: nodes, drives, buckets, jobs, to look at only. It ends after"
                        + " 12 hours; whoever has it may look.",
        mixinStandardHelpOptions = true)
public final class UiCommand implements Callable<Integer> {
    private final Installation installation;

    @Mixin
    private final ClusterOptions options = new ClusterOptions();

    @Option(names = "--json", description = "As JSON.")
    private boolean json;

    @Spec
    private @Nullable CommandSpec spec;

    public UiCommand(Installation installation) {
        this.installation = installation;
    }

    @Override
    public Integer call() {
        var page = options.nativeApi(installation).page().toString();
        var out = Specs.out(spec);
        if (json) {
            Output.json(out, Map.of("url", page));
        } else {
            out.println(page);
            out.flush();
        }
        return 0;
    }
}
