package dev.sluice.cli.demo.cold;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.cli.demo.DemoOptions;
import dev.sluice.cli.demo.cold.ColdComparison.Result;
import dev.sluice.cli.demo.live.LiveStarter;
import dev.sluice.cli.failure.CommandFailure;
import dev.sluice.cli.process.Termination;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `sluice bench-cold`: exit code 0 if all bytes were right and each object left the cloud once; times are only told.
@Command(
        name = "bench-cold",
        mixinStandardHelpOptions = true,
        description = "Measures first reads of large objects through Sluice beside direct ones from the same cloud.")
public final class ColdCommand implements Callable<Integer> {
    private static final int NOT_AS_PROMISED = 1;
    private static final long SMALL = 512 << 10;

    private final LiveStarter starter;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--s3", paramLabel = "URL", description = "Use this S3 endpoint as the cloud.")
    private @Nullable URI s3;

    @Option(names = "--latency-ms", defaultValue = "20", description = "How far away the cloud is (default 20).")
    private long latencyMillis;

    @Option(names = "--bandwidth-mib", defaultValue = "200", description = "The cloud's MiB/s (default 200).")
    private long bandwidthMebibytes;

    @Option(names = "--size-mib", defaultValue = "64", description = "Of each object, in MiB (default 64).")
    private long sizeMebibytes;

    @Option(names = "--rounds", defaultValue = "5", description = "To measure, after one uncounted (default 5).")
    private int rounds;

    @Option(names = "--warm-up", defaultValue = "150", description = "Small objects read before (default 150).")
    private int warmUp;

    @Option(names = "--readers", defaultValue = "32", description = "Of one object at once (default 32).")
    private int readers;

    @Option(names = "--json", description = "As JSON.")
    private boolean json;

    public ColdCommand(LiveStarter starter) {
        this.starter = starter;
    }

    @Override
    public Integer call() {
        CommandLine line = Objects.requireNonNull(spec, "picocli sets it").commandLine();
        if (Stream.of(rounds, readers, sizeMebibytes, bandwidthMebibytes).anyMatch(each -> each.longValue() < 1)
                || latencyMillis < 0
                || warmUp < 0) {
            throw new ParameterException(line, "Rounds, readers, size and bandwidth must be at least 1");
        }
        try (var _ = Termination.interrupting(Thread.currentThread())) {
            return measure(line.getOut(), line.getErr());
        } catch (InterruptedException e) {
            throw CommandFailure.failed("interrupted: all that was started is stopped and removed");
        } catch (IOException e) {
            throw CommandFailure.failed(String.valueOf(e.getMessage()));
        }
    }

    private int measure(PrintWriter out, PrintWriter err) throws IOException, InterruptedException {
        var site = new DemoOptions.Site(
                Optional.empty(),
                Optional.empty(),
                Optional.ofNullable(s3),
                Duration.ofMillis(latencyMillis),
                bandwidthMebibytes << 20);
        try (var clusters = starter.start(site, err::println)) {
            clusters.cloud().createBucket();
            var small = RandomObjects.put(clusters.cloud(), "small", warmUp, SMALL);
            var objects = RandomObjects.put(clusters.cloud(), "object", rounds + 2, sizeMebibytes << 20);
            clusters.proxy().createBucket();
            var comparison = new ColdComparison(clusters, objects);
            comparison.warmUp(small);
            Result result = comparison.run(rounds, readers);
            out.print(json ? json(result) : text(result));
            out.flush();
            return result.mostGets() == 1 && result.sharedGets() == 1 ? 0 : NOT_AS_PROMISED;
        }
    }

    private String text(Result result) {
        return String.format(
                Locale.ROOT,
                """
                cold GET of %d MiB, cloud %d ms away at %d MiB/s, medians of %d interleaved rounds
                              direct    through Sluice
                first byte %9.1f %9.1f ms   %+.1f ms
                last byte  %9.1f %9.1f ms   x%.3f
                backend GETs: %d an object; %d with %d readers at once
                """,
                sizeMebibytes,
                latencyMillis,
                bandwidthMebibytes,
                rounds,
                result.directFirstByte(),
                result.firstByte(),
                result.firstByteLater(),
                result.directLastByte(),
                result.lastByte(),
                result.lastByteRatio(),
                result.mostGets(),
                result.sharedGets(),
                result.readers());
    }

    private static String json(Result result) throws IOException {
        return JsonMapper.builder()
                        .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                        .enable(SerializationFeature.INDENT_OUTPUT)
                        .build()
                        .writeValueAsString(result)
                + "\n";
    }
}
