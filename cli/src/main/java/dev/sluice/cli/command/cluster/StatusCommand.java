package dev.sluice.cli.command.cluster;

import dev.sluice.cli.api.RepairProgress;
import dev.sluice.cli.api.SlotTexts;
import dev.sluice.cli.cluster.ClusterStatus;
import dev.sluice.cli.command.Amounts;
import dev.sluice.cli.command.ClusterOptions;
import dev.sluice.cli.command.Installation;
import dev.sluice.cli.command.Output;
import dev.sluice.cli.command.Specs;
import dev.sluice.common.cluster.slots.SlotCounts;
import dev.sluice.common.peer.ControllerHealth;
import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// `sluice status`. Exit code 1 if not every node and every drive that is not disabled serves.
@Command(
        name = "status",
        description =
                "Shows the nodes of a cluster, drives that do not serve, how many slots of replicated buckets have all"
                        + " their replicas, what the others survive or wait for, and how far repair is; exit code 1 if"
                        + " not all nodes and drives serve.",
        mixinStandardHelpOptions = true)
public final class StatusCommand implements Callable<Integer> {
    private final Installation installation;

    @Mixin
    private final ClusterOptions options = new ClusterOptions();

    @Option(names = "--json", description = "As JSON.")
    private boolean json;

    @Spec
    private @Nullable CommandSpec spec;

    public StatusCommand(Installation installation) {
        this.installation = installation;
    }

    @Override
    public Integer call() {
        var status = status();
        var out = Specs.out(spec);
        if (json) {
            Output.json(out, status);
        } else {
            out.println(status.endpoint() + "  " + status.state());
            Output.table(
                    out,
                    List.of("NODE", "ROLE", "STATE", "PID", "URL", "LOG"),
                    status.nodes().stream().map(StatusCommand::row).toList());
            for (var node : status.nodes()) {
                node.drives().forEach(drive -> out.println("%s drive %s".formatted(node.id(), drive.text())));
                node.controller()
                        .map(ControllerHealth::reason)
                        .filter(why -> !why.isEmpty())
                        .ifPresent(why -> out.println("%s as a controller: %s".formatted(node.id(), why)));
            }
            controllers(status).ifPresent(out::println);
            status.muted()
                    .forEach(target -> out.println(
                            "%s is muted: most other targets do not hear it, so it serves nothing; look at the network between them"
                                    .formatted(target)));
            status.slots().filter(slots -> slots.total() > 0).ifPresent(slots -> show(out, slots));
            status.repair().ifPresent(repair -> out.println(text(repair)));
            out.flush();
        }
        return status.serving() ? 0 : 1;
    }

    private static void show(PrintWriter out, SlotCounts slots) {
        out.println("%d slots of replicated buckets: %d with all replicas in-sync, %d degraded, %d not served"
                .formatted(slots.total(), slots.full(), slots.degraded(), slots.unopened()));
        SlotTexts.surviving(slots).ifPresent(out::println);
        SlotTexts.waiting(slots).ifPresent(targets -> out.println("those that are not served wait for: " + targets));
    }

    private static String text(RepairProgress repair) {
        var left = "about %s are to be copied".formatted(Amounts.bytes(repair.missingBytes()));
        var pace = repair.seconds()
                .map(seconds -> ", %s a second: about %d s".formatted(Amounts.bytes(repair.bytesPerSecond()), seconds))
                .orElse("; none came in the last second");
        var stuck = repair.stuckObjects() == 0
                ? ""
                : "; %d objects cannot be copied: the targets' logs name them".formatted(repair.stuckObjects());
        return left + pace + stuck;
    }

    /// Where there are several.
    private static Optional<String> controllers(ClusterStatus status) {
        var names = status.nodes().stream()
                .filter(node -> node.controller().isPresent())
                .map(node -> node.controller().get().leads() ? node.id() + " (leads)" : node.id())
                .toList();
        return names.size() < 2 ? Optional.empty() : Optional.of("controllers: " + String.join(", ", names));
    }

    private ClusterStatus status() {
        if (options.remote(installation)) {
            return ClusterStatus.of(options.nativeApi(installation));
        }
        var cluster = options.local(installation);
        return ClusterStatus.of(cluster, options.trust(installation, cluster.certificate()));
    }

    private static List<String> row(ClusterStatus.NodeStatus node) {
        return List.of(
                node.id(),
                node.role(),
                node.state(),
                node.pid() == 0 ? "-" : Long.toString(node.pid()),
                node.url(),
                node.log().isEmpty() ? "-" : node.log());
    }
}
