package dev.sluice.cli.command.cluster;

import dev.sluice.cli.api.NativeApi;
import dev.sluice.cli.api.RepairProgress;
import dev.sluice.cli.cluster.ClusterFile;
import dev.sluice.cli.command.ClusterOptions;
import dev.sluice.cli.command.Installation;
import dev.sluice.cli.command.Output;
import dev.sluice.cli.command.Specs;
import dev.sluice.cli.command.Terminal;
import dev.sluice.cli.failure.CommandFailure;
import dev.sluice.cli.trust.Trust;
import dev.sluice.common.metrics.Metrics;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// `sluice top`: what a cluster does now, again and again, from its metrics.
@Command(
        name = "top",
        description = "Shows what nodes, drives and buckets do now, until Ctrl-C.",
        mixinStandardHelpOptions = true,
        footerHeading = Specs.EXAMPLES,
        footer = {"  sluice top", "  sluice top --cluster http://10.0.0.1:8080 --every 5 --count 12"})
public final class TopCommand implements Callable<Integer> {
    private static final String CLEAR = "\u001b[H\u001b[2J";
    private static final double MIB = 1 << 20;

    private final Installation installation;

    @Mixin
    private final ClusterOptions options = new ClusterOptions();

    @Option(names = "--every", paramLabel = "SECONDS", defaultValue = "2", description = "How often (default: 2).")
    private int every = 2;

    @Option(
            names = "--count",
            paramLabel = "N",
            defaultValue = "0",
            description = "How many times (default: until Ctrl-C).")
    private int count;

    @Spec
    private @Nullable CommandSpec spec;

    private record Watched(List<String> urls, Trust trust) {}

    public TopCommand(Installation installation) {
        this.installation = installation;
    }

    @Override
    public Integer call() throws InterruptedException {
        if (every < 1 || count < 0) {
            throw CommandFailure.refused("--every is at least 1, --count at least 0");
        }
        var watched = watched();
        var before = metrics(watched);
        for (int turn = 1; count == 0 || turn <= count; turn++) {
            TimeUnit.SECONDS.sleep(every);
            var now = metrics(watched);
            show(before, now);
            before = now;
        }
        return 0;
    }

    private Watched watched() {
        if (options.remote(installation)) {
            var api = options.nativeApi(installation);
            return new Watched(
                    api.clusterMap().stream().map(NativeApi.Member::url).toList(), api.trust());
        }
        var cluster = options.local(installation);
        return new Watched(
                cluster.nodes().stream().map(ClusterFile.Node::url).toList(),
                options.trust(installation, cluster.certificate()));
    }

    private static Metrics metrics(Watched watched) {
        var metrics = NativeApi.metrics(watched.urls(), watched.trust());
        if (metrics.byName().isEmpty()) {
            throw CommandFailure.failed("no node answers: " + String.join(", ", watched.urls()));
        }
        return metrics;
    }

    private void show(Metrics before, Metrics now) {
        var out = Specs.out(spec);
        if (Terminal.showsOutput()) {
            out.print(CLEAR);
        }
        nodes(out, before, now);
        drives(out, now);
        buckets(out, before, now);
        slots(out, before, now);
        out.println();
        out.flush();
    }

    private static void nodes(PrintWriter out, Metrics before, Metrics now) {
        var rows = new ArrayList<List<String>>();
        for (var node : now.values("sluice_http_requests_total", "node")) {
            Predicate<Metrics.Sample> its = sample -> sample.label("node").equals(node);
            rows.add(List.of(
                    node,
                    whole(now.rate(before, "sluice_http_requests_total", its)),
                    whole(now.rate(
                            before,
                            "sluice_http_requests_total",
                            its.and(sample -> sample.label("status").equals("5xx")))),
                    mebibytes(now.rate(before, "sluice_http_bytes_out_total", its)),
                    mebibytes(now.rate(before, "sluice_http_bytes_in_total", its)),
                    whole(now.sum("sluice_http_requests_in_flight", its)),
                    whole(now.sum("sluice_http_connections", its))));
        }
        Output.table(out, List.of("NODE", "REQ/S", "5XX/S", "OUT MIB/S", "IN MIB/S", "NOW", "CONNECTIONS"), rows);
    }

    private static void drives(PrintWriter out, Metrics now) {
        var rows = new ArrayList<List<String>>();
        for (var sample : now.samples("sluice_drive_state")) {
            if (sample.value() == 1) {
                Predicate<Metrics.Sample> its = other -> other.label("node").equals(sample.label("node"))
                        && other.label("drive").equals(sample.label("drive"));
                double bytes = now.sum("sluice_drive_bytes", its);
                double free = now.sum("sluice_drive_free_bytes", its);
                rows.add(List.of(
                        sample.label("node") + " " + sample.label("drive"),
                        sample.label("state"),
                        whole(now.sum("sluice_drive_objects", its)),
                        mebibytes(bytes),
                        percent(bytes, bytes + free),
                        whole(now.sum("sluice_drive_queue", its)),
                        whole(now.sum("sluice_drive_errors", its))));
            }
        }
        if (!rows.isEmpty()) {
            out.println();
            Output.table(out, List.of("DRIVE", "STATE", "OBJECTS", "MIB", "USED", "WAITING", "ERRORS"), rows);
        }
    }

    private static void buckets(PrintWriter out, Metrics before, Metrics now) {
        var rows = new ArrayList<List<String>>();
        for (var bucket : now.values("sluice_bucket_objects", "bucket")) {
            Predicate<Metrics.Sample> its = sample -> sample.label("bucket").equals(bucket);
            double gets = now.rate(before, "sluice_bucket_gets_total", its);
            double hits = now.rate(
                    before,
                    "sluice_bucket_gets_total",
                    its.and(sample -> sample.label("result").equals("hit")));
            rows.add(List.of(
                    bucket,
                    whole(now.sum("sluice_bucket_objects", its)),
                    mebibytes(now.sum("sluice_bucket_bytes", its)),
                    whole(gets),
                    gets == 0 ? "-" : percent(hits, gets),
                    mebibytes(now.rate(before, "sluice_bucket_get_bytes_total", its))));
        }
        if (!rows.isEmpty()) {
            out.println();
            Output.table(out, List.of("BUCKET", "OBJECTS", "MIB", "GET/S", "HITS", "READ MIB/S"), rows);
        }
    }

    /// As the node that knows the worst says it.
    private static void slots(PrintWriter out, Metrics before, Metrics now) {
        double unopened = most(now, "unopened");
        double degraded = most(now, "degraded");
        if (unopened + degraded + most(now, "full") > 0) {
            out.println();
            double bare = most(now.samples("sluice_slots_surviving"), "losses", "0");
            out.println("slots of replicated buckets: %s not served, %s degraded, %s survive no other loss"
                    .formatted(whole(unopened), whole(degraded), whole(bare)));
            var repair = RepairProgress.between(before, now);
            if (repair.missingBytes() > 0) {
                out.println("MiB to be copied: %s, %s a second"
                        .formatted(mebibytes((double) repair.missingBytes()), mebibytes((double)
                                repair.bytesPerSecond())));
            }
        }
    }

    private static double most(Metrics now, String state) {
        return most(now.samples("sluice_slots"), "state", state);
    }

    private static double most(List<Metrics.Sample> samples, String label, String value) {
        return samples.stream()
                .filter(sample -> sample.label(label).equals(value))
                .mapToDouble(Metrics.Sample::value)
                .filter(count -> !Double.isNaN(count))
                .max()
                .orElse(0);
    }

    private static String whole(double figure) {
        return String.format(Locale.ROOT, "%,.0f", figure);
    }

    private static String mebibytes(double bytes) {
        return String.format(Locale.ROOT, "%,.1f", bytes / MIB);
    }

    private static String percent(double part, double whole) {
        return whole == 0 ? "-" : String.format(Locale.ROOT, "%.0f %%", 100 * part / whole);
    }
}
