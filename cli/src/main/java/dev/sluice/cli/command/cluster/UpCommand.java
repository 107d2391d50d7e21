package dev.sluice.cli.command.cluster;

import dev.sluice.cli.cluster.ClusterDown;
import dev.sluice.cli.cluster.ClusterFile;
import dev.sluice.cli.cluster.ClusterUp;
import dev.sluice.cli.cluster.ForegroundCluster;
import dev.sluice.cli.cluster.UpOptions;
import dev.sluice.cli.command.DirOption;
import dev.sluice.cli.command.Installation;
import dev.sluice.cli.command.Output;
import dev.sluice.cli.command.Specs;
import dev.sluice.cli.process.StartCache;
import dev.sluice.cli.process.Termination;
import dev.sluice.cli.trust.Trust;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// `sluice up`.
@Command(
        name = "up",
        description = {
            "Starts a cluster on this machine and returns when it serves. Again on the same DIR: the same cluster and data.",
            "Options given here are written into DIR/sluice.toml, which holds all settings."
        },
        mixinStandardHelpOptions = true)
public final class UpCommand implements Callable<Integer> {
    private final Installation installation;

    @Mixin
    private final DirOption dir = new DirOption();

    @Option(names = "--proxies", paramLabel = "N", description = "Proxies (default 1).")
    private @Nullable Integer proxies;

    @Option(names = "--targets", paramLabel = "N", description = "Targets (default 3).")
    private @Nullable Integer targets;

    @Option(names = "--drives", paramLabel = "N", description = "Drives of each target (default 2).")
    private @Nullable Integer drives;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            description = "Proxy i listens on PORT+i, target j on PORT+100+j (default 8080).")
    private @Nullable Integer port;

    @Option(names = "--host", paramLabel = "HOST", description = "The address to listen on (default 127.0.0.1).")
    private @Nullable String host;

    @Option(names = "--separate", negatable = true, description = "A process for every node.")
    private @Nullable Boolean separate;

    @Option(names = "--foreground", description = "Stay, and stop the cluster at Ctrl-C or SIGTERM.")
    private boolean foreground;

    @Option(names = "--no-auth", description = "Everybody may read and write.")
    private @Nullable Boolean noAuth;

    @Option(names = "--auth", description = "Requests must be signed (the default; undoes --no-auth).")
    private @Nullable Boolean auth;

    @Option(
            names = "--insecure",
            negatable = true,
            description = "Off loopback too: without TLS, or with --no-auth. For networks that you trust.")
    private @Nullable Boolean insecure;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "Settings to start with, instead of DIR/sluice.toml.")
    private @Nullable Path config;

    @Option(names = "--json", description = "Print cluster.json.")
    private boolean json;

    @Spec
    private @Nullable CommandSpec spec;

    public UpCommand(Installation installation) {
        this.installation = installation;
    }

    @Override
    public Integer call() throws InterruptedException {
        var layout = dir.layout(installation);
        var began = System.nanoTime();
        try (var _ = Termination.interrupting(Thread.currentThread())) {
            var outcome = new ClusterUp(layout, installation.jvm(), installation.environment()).up(options());
            print(outcome, (System.nanoTime() - began) / 1e9);
            if (outcome.startedNow()) {
                installation.startCache().ifPresent(this::make);
            }
            if (foreground) {
                ForegroundCluster.await(layout, outcome.cluster(), ClusterDown.GRACE);
            }
            return 0;
        }
    }

    /// The cluster serves already, so that its start takes no longer. Without the cache the next one takes no longer
    /// than this one did.
    private void make(StartCache cache) {
        try {
            cache.makeInBackground();
        } catch (IOException failure) {
            Specs.err(spec).println("sluice: no start cache: " + failure.getMessage());
        }
    }

    private void print(ClusterUp.Outcome outcome, double seconds) {
        if (outcome.recovered()) {
            Specs.err(spec).println("sluice: the last cluster here ended without `sluice down`; recovered");
        }
        if (json) {
            Output.json(Specs.out(spec), outcome.cluster().withoutSecret());
        } else {
            print(Specs.out(spec), outcome, seconds);
        }
    }

    private UpOptions options() {
        return new UpOptions(
                Optional.ofNullable(proxies),
                Optional.ofNullable(targets),
                Optional.ofNullable(drives),
                Optional.ofNullable(port),
                Optional.ofNullable(host),
                Optional.ofNullable(separate),
                Optional.ofNullable(auth).or(() -> Optional.ofNullable(noAuth).map(off -> !off)),
                Optional.ofNullable(insecure),
                Optional.ofNullable(config),
                foreground);
    }

    private void print(PrintWriter out, ClusterUp.Outcome outcome, double seconds) {
        var cluster = outcome.cluster();
        var started = cluster.started();
        out.printf(
                "%s %s: %d %s, %d %s with %d drives each, %s%s%n",
                outcome.startedNow() ? "serving at" : "already running at",
                cluster.endpoint(),
                started.proxies(),
                started.proxies() == 1 ? "proxy" : "proxies",
                started.targets(),
                started.targets() == 1 ? "target" : "targets",
                started.drives(),
                started.separate() ? "a process for each" : "one process",
                outcome.startedNow() ? " (%.1f s)".formatted(seconds) : "");
        out.println("  data, keys, settings  " + dir.layout(installation).dir());
        if (started.auth()) {
            out.println("  for S3 clients        eval \"$(%s env%s)\"".formatted(Installation.typed(), dir.repeated()));
        } else {
            out.println("  no authentication: everybody may read and write");
        }
        cluster.caBundle().ifPresent(file -> out.println("  " + Trust.BUNDLE_VARIABLE + "=" + file));
        absent(cluster).forEach(line -> out.println("  " + line));
        out.flush();
    }

    private static Iterable<String> absent(ClusterFile cluster) {
        return cluster.nodes().stream()
                .filter(node -> !node.process().alive())
                .map(node -> node.id() + " is not running: sluice node start " + node.id())
                .toList();
    }
}
