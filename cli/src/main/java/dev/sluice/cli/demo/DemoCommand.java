package dev.sluice.cli.demo;

import dev.sluice.cli.demo.report.DemoReport;
import dev.sluice.cli.demo.report.HtmlPage;
import dev.sluice.cli.demo.report.JsonReport;
import dev.sluice.cli.demo.report.TextTable;
import dev.sluice.cli.failure.CommandFailure;
import dev.sluice.cli.process.Termination;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `sluice demo`: exit code 0 only if every digest was right and the cloud gave every shard exactly once.
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        description = "Reads a picture data set from a slow cloud the way training does, cold and warm, and reports.")
public final class DemoCommand implements Callable<Integer> {
    private static final int NOT_AS_PROMISED = 1;

    private final DemoClusters.Starter starter;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--dir", paramLabel = "DIR", description = "Use the cluster that runs here instead of an own one.")
    private @Nullable Path dir;

    @Option(
            names = {"--cluster", "--endpoint"},
            paramLabel = "URL",
            description = "Use the running cluster with a node at this address.")
    private @Nullable URI endpoint;

    @Option(names = "--s3", paramLabel = "URL", description = "Use this S3 endpoint as the cloud.")
    private @Nullable URI s3;

    @Option(names = "--latency-ms", defaultValue = "20", description = "How far away the cloud is (default 20).")
    private long latencyMillis;

    @Option(names = "--bandwidth-mib", defaultValue = "200", description = "The cloud's MiB/s (default 200).")
    private long bandwidthMebibytes;

    @Option(names = "--shards", defaultValue = "24", description = "How many tar shards (default 24).")
    private int shards;

    @Option(names = "--samples-per-shard", defaultValue = "200", description = "Pictures in each (default 200).")
    private int samplesPerShard;

    @Option(names = "--workers", defaultValue = "8", description = "Reading at once (default 8).")
    private int workers;

    @Option(names = "--warm-epochs", defaultValue = "2", description = "Epochs after the cold one (default 2).")
    private int warmEpochs;

    @Option(names = "--seed", defaultValue = "1", description = "Decides pictures and order (default 1).")
    private long seed;

    @Option(names = "--html", paramLabel = "FILE", description = "Where the page goes (default sluice-demo.html).")
    private Path html = Path.of("sluice-demo.html");

    @Option(names = "--json", description = "Print the report as JSON, progress on standard error.")
    private boolean json;

    public DemoCommand(DemoClusters.Starter starter) {
        this.starter = starter;
    }

    @Override
    public Integer call() {
        CommandLine line = Objects.requireNonNull(spec, "picocli sets it").commandLine();
        DemoOptions options = options(line);
        PrintWriter out = line.getOut();
        PrintWriter chatter = json ? line.getErr() : out;
        Consumer<String> progress = text -> {
            chatter.println(text);
            chatter.flush();
        };
        // First of all what Ctrl-C does: everything that was started goes before the JVM ends.
        try (var _ = Termination.interrupting(Thread.currentThread());
                DemoClusters clusters = starter.start(options.site(), progress)) {
            DemoReport report = new Demo(options, clusters, progress).run();
            Files.writeString(html, HtmlPage.of(report));
            out.print(json ? JsonReport.of(report) + "\n" : "\n" + TextTable.of(report));
            out.flush();
            progress.accept("The same with charts: " + html.toAbsolutePath());
            return report.good() ? 0 : NOT_AS_PROMISED;
        } catch (InterruptedException e) {
            throw CommandFailure.failed("interrupted: all that was started is stopped and removed");
        } catch (IOException e) {
            throw CommandFailure.failed(String.valueOf(e.getMessage()));
        }
    }

    private DemoOptions options(CommandLine line) {
        if (Stream.of(shards, samplesPerShard, workers, bandwidthMebibytes).anyMatch(each -> each.longValue() < 1)
                || warmEpochs < 0
                || latencyMillis < 0) {
            throw new ParameterException(line, "Shards, samples, workers and bandwidth must be at least 1");
        }
        return new DemoOptions(
                new DemoOptions.Site(
                        Optional.ofNullable(dir),
                        Optional.ofNullable(endpoint),
                        Optional.ofNullable(s3),
                        Duration.ofMillis(latencyMillis),
                        bandwidthMebibytes << 20),
                new DemoOptions.DataSet(shards, samplesPerShard),
                workers,
                warmEpochs,
                seed);
    }
}
