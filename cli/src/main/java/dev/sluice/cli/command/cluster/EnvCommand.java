package dev.sluice.cli.command.cluster;

import dev.sluice.cli.cluster.ClusterFile;
import dev.sluice.cli.cluster.Layout;
import dev.sluice.cli.command.DirOption;
import dev.sluice.cli.command.Installation;
import dev.sluice.cli.command.Output;
import dev.sluice.cli.command.Specs;
import dev.sluice.cli.config.AuthConfig;
import dev.sluice.cli.config.ConfigFiles;
import dev.sluice.cli.trust.Trust;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// `sluice env`: what S3 clients read from the environment, as a line for the shell.
@Command(
        name = "env",
        description = "Prints the variables S3 clients read, for: eval \"$(sluice env)\"",
        mixinStandardHelpOptions = true)
public final class EnvCommand implements Callable<Integer> {
    private final Installation installation;

    @Mixin
    private final DirOption dir = new DirOption();

    @Option(names = "--json", description = "As JSON.")
    private boolean json;

    @Spec
    private @Nullable CommandSpec spec;

    public EnvCommand(Installation installation) {
        this.installation = installation;
    }

    @Override
    public Integer call() {
        var variables = variables(dir.layout(installation));
        var out = Specs.out(spec);
        if (json) {
            Output.json(out, variables);
        } else {
            out.println(variables.entrySet().stream()
                    .map(variable -> variable.getKey() + "=" + DirOption.quoted(variable.getValue()))
                    .collect(Collectors.joining(" ", "export ", "")));
            out.flush();
        }
        return 0;
    }

    private static Map<String, String> variables(Layout layout) {
        var cluster = ClusterFile.running(layout);
        var variables = new LinkedHashMap<String, String>();
        variables.put("AWS_ENDPOINT_URL", cluster.s3Endpoint());
        variables.put("AWS_ACCESS_KEY_ID", cluster.accessKey());
        variables.put("AWS_SECRET_ACCESS_KEY", cluster.secretKey());
        variables.put("AWS_DEFAULT_REGION", region(cluster));
        cluster.caBundle().ifPresent(file -> variables.put(Trust.BUNDLE_VARIABLE, file.toString()));
        return variables;
    }

    /// What its nodes want signatures for; where they take any, the usual one.
    private static String region(ClusterFile cluster) {
        var config = ConfigFiles.node(Path.of(cluster.nodes().getFirst().config()), Map.of());
        return config.auth().region().equals("*")
                ? AuthConfig.DEFAULTS.region()
                : config.auth().region();
    }
}
