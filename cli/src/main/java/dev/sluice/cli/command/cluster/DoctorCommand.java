package dev.sluice.cli.command.cluster;

import dev.sluice.cli.api.NativeApi;
import dev.sluice.cli.cluster.ClusterFile;
import dev.sluice.cli.command.ClusterOptions;
import dev.sluice.cli.command.Installation;
import dev.sluice.cli.command.Output;
import dev.sluice.cli.command.Specs;
import dev.sluice.cli.config.ConfigFiles;
import dev.sluice.cli.config.NodeConfig;
import dev.sluice.cli.doctor.Doctor;
import dev.sluice.cli.doctor.Finding;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// `sluice doctor`. Exit code 1 if there is a problem; warnings are none.
@Command(
        name = "doctor",
        description =
                "Looks at clocks, ports, disks, credentials and versions, and says what to do about what it finds;"
                        + " exit code 1 if there is a problem.",
        mixinStandardHelpOptions = true,
        footerHeading = Specs.EXAMPLES,
        footer = {
            "  sluice doctor                               the cluster in DIR and this machine",
            "  sluice doctor --cluster http://10.0.0.1:8080",
            "  sluice doctor --config /etc/sluice/target.toml    before its node starts here"
        })
public final class DoctorCommand implements Callable<Integer> {
    private final Installation installation;

    @Mixin
    private final ClusterOptions options = new ClusterOptions();

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "The settings of a node that runs on this machine, or is to; may be repeated.")
    private List<Path> files = new ArrayList<>();

    @Option(names = "--json", description = "As JSON.")
    private boolean json;

    @Spec
    private @Nullable CommandSpec spec;

    public DoctorCommand(Installation installation) {
        this.installation = installation;
    }

    @Override
    public Integer call() {
        var found = files.isEmpty() ? ofCluster() : ofMachine(files, Optional.empty());
        if (json) {
            Output.json(Specs.out(spec), found);
        } else {
            print(Specs.out(spec), found);
        }
        return found.stream().anyMatch(each -> each.level() == Finding.Level.PROBLEM) ? 1 : 0;
    }

    private List<Finding> ofCluster() {
        if (options.remote(installation)) {
            var api = options.nativeApi(installation);
            return Doctor.ofCluster(api.clusterMap(), api);
        }
        var layout = options.layout(installation);
        var cluster = ClusterFile.require(layout, ClusterOptions.OTHERWISE + ", or settings with --config");
        var folder = layout.dir();
        var configs = cluster.nodes().stream()
                .map(node -> folder.resolve(node.config()))
                .toList();
        var found = new ArrayList<>(ofMachine(configs, cluster.certificate()));
        var members = cluster.nodes().stream()
                .map(node -> new NativeApi.Member(node.id(), node.role().toString(), node.url()))
                .toList();
        found.addAll(Doctor.ofCluster(members, options.nativeApi(installation)));
        return found;
    }

    private List<Finding> ofMachine(List<Path> configs, Optional<Path> certificate) {
        List<NodeConfig> nodes = configs.stream()
                .map(file -> ConfigFiles.node(file, installation.environment()))
                .toList();
        return Doctor.ofMachine(nodes, options.trust(installation, certificate));
    }

    private static void print(PrintWriter out, List<Finding> found) {
        for (var finding : found) {
            out.println("%-8s %s: %s".formatted(finding.level(), finding.about(), finding.what()));
            if (!finding.next().isEmpty()) {
                out.println("         next: " + finding.next());
            }
        }
        long problems = count(found, Finding.Level.PROBLEM);
        long warnings = count(found, Finding.Level.WARNING);
        out.println("%d problems, %d warnings".formatted(problems, warnings));
        out.flush();
    }

    private static long count(List<Finding> found, Finding.Level level) {
        return found.stream().filter(each -> each.level() == level).count();
    }
}
