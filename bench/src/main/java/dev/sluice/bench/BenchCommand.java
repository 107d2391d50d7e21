package dev.sluice.bench;

import dev.sluice.bench.load.Body;
import dev.sluice.bench.load.Endpoint;
import dev.sluice.bench.load.LoadGenerator;
import dev.sluice.bench.load.LoadGenerator.Run;
import dev.sluice.bench.load.Tally;
import dev.sluice.bench.load.Window;
import dev.sluice.bench.load.Workload;
import dev.sluice.bench.workload.BucketCreation;
import dev.sluice.bench.workload.KeySpace;
import dev.sluice.bench.workload.Preparation;
import dev.sluice.common.auth.Credentials;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `sluice bench`: exit code 0 if every answer was right, 1 if some were not, 2 for wrong usage.
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        description =
                "Measures an S3 endpoint in a closed loop: each connection sends its next request when the last is"
                        + " answered.")
public final class BenchCommand implements Callable<Integer> {
    private static final int PREPARING_CONNECTIONS = 8;

    /// How requests are signed.
    enum Signing {
        NONE,
        UNSIGNED,
        SIGNED
    }

    @Spec
    private @Nullable CommandSpec spec;

    @Parameters(
            index = "0",
            paramLabel = "OPERATION",
            converter = OperationConverter.class,
            description = "get, put, head, list or mixed.")
    private Operation operation = Operation.GET;

    @Option(
            names = "--endpoint",
            defaultValue = "${env:AWS_ENDPOINT_URL:-http://127.0.0.1:8080}",
            description = "Default AWS_ENDPOINT_URL, else http://127.0.0.1:8080.")
    private URI endpoint = URI.create("http://127.0.0.1:8080");

    @Option(names = "--bucket", defaultValue = "bench", description = "Made if absent (default ${DEFAULT-VALUE}).")
    private String bucket = "bench";

    @Option(names = "--prefix", defaultValue = "", description = "Of all keys (default: the size, as in 4KiB/).")
    private String prefix = "";

    @Option(names = "--size", defaultValue = "4KiB", converter = SizeConverter.class, description = "Of each object.")
    private ByteSize size = new ByteSize(4096);

    @Option(names = "--objects", defaultValue = "100", description = "How many (default ${DEFAULT-VALUE}).")
    private int objects;

    @Option(names = "--keys", description = "A file with a key on each line: these instead of numbered ones.")
    private @Nullable Path keysFile;

    @Option(
            names = {"-c", "--connections"},
            defaultValue = "16",
            description = "Default ${DEFAULT-VALUE}.")
    private int connections;

    @Option(
            names = {"-t", "--threads"},
            defaultValue = "1",
            description = "Event loops (default ${DEFAULT-VALUE}).")
    private int threads;

    @Option(
            names = {"-d", "--seconds"},
            defaultValue = "10",
            description = "To measure (default ${DEFAULT-VALUE}).")
    private int seconds;

    @Option(names = "--warm-up", defaultValue = "2", description = "Seconds not counted (default ${DEFAULT-VALUE}).")
    private int warmUp;

    @Option(names = "--seed", defaultValue = "1", description = "Decides content and keys (default ${DEFAULT-VALUE}).")
    private long seed;

    @Option(
            names = "--put-percent",
            defaultValue = "20",
            description = "Of mixed, 10 %% are HEAD (default ${DEFAULT-VALUE}).")
    private int putPercent;

    @Option(names = "--fresh-keys", description = "PUT to new keys only, instead of overwriting the objects.")
    private boolean freshKeys;

    @Option(
            names = "--back-off",
            defaultValue = "0",
            description =
                    "Milliseconds a connection waits after a 503, and up to half as many more (default ${DEFAULT-VALUE}).")
    private int backOff;

    @Option(
            names = "--rate",
            defaultValue = "0",
            description =
                    "Requests a second of all connections, however long answers take; a request's time counts from"
                            + " when it was due. 0: each connection sends when it has its answer (default).")
    private int rate;

    @Option(names = "--check", description = "Compare the content of every GET.")
    private boolean check;

    @Option(names = "--no-prepare", description = "The bucket and the objects are there already.")
    private boolean noPrepare;

    @Option(names = "--bucket-exists", description = "Do not make the bucket.")
    private boolean bucketExists;

    @Option(names = "--prepare-only", description = "Write the objects and measure nothing.")
    private boolean prepareOnly;

    @Option(
            names = "--sign",
            defaultValue = "unsigned",
            converter = SigningConverter.class,
            description = "none, unsigned (payload) or signed (payload); default ${DEFAULT-VALUE}.")
    private Signing signing = Signing.UNSIGNED;

    @Option(
            names = "--access-key",
            defaultValue = "${env:SLUICE_ACCESS_KEY:-${env:AWS_ACCESS_KEY_ID}}",
            description = "Or SLUICE_ACCESS_KEY, or AWS_ACCESS_KEY_ID.")
    private @Nullable String accessKey;

    @Option(
            names = "--secret-key",
            defaultValue = "${env:SLUICE_SECRET_KEY:-${env:AWS_SECRET_ACCESS_KEY}}",
            description = "Or SLUICE_SECRET_KEY, or AWS_SECRET_ACCESS_KEY.")
    private @Nullable String secretKey;

    @Option(names = "--region", defaultValue = "us-east-1", description = "Default ${DEFAULT-VALUE}.")
    private String region = "us-east-1";

    @Option(names = "--json", description = "Print the result as JSON.")
    private boolean json;

    @Override
    public Integer call() throws InterruptedException {
        CommandLine line = Objects.requireNonNull(spec, "picocli sets it").commandLine();
        PrintWriter out = line.getOut();
        requireSensibleNumbers(line);
        try (var generator = new LoadGenerator(threads)) {
            KeySpace keys = keys(line);
            Endpoint target = endpoint(line);
            Body body = Body.random(seed, size.bytes());
            if (!noPrepare) {
                prepare(generator, target, keys, body);
            }
            if (prepareOnly) {
                return 0;
            }
            BenchResult result = measure(generator, target, keys, body);
            out.print(json ? result.json() + System.lineSeparator() : result.text());
            out.flush();
            return result.tally().failed() == 0 && result.tally().operations() > 0 ? 0 : 1;
        } catch (IllegalArgumentException e) {
            throw new ParameterException(line, String.valueOf(e.getMessage()), e);
        }
    }

    private void prepare(LoadGenerator generator, Endpoint target, KeySpace keys, Body body)
            throws InterruptedException {
        if (!bucketExists) {
            mustSucceed(
                    generator.run(run(target, new BucketCreation(keys), body, 1, Duration.ZERO), Window.untilDone()),
                    "bucket");
        }
        if (operation.needsObjects()) {
            var writing = run(target, new Preparation(keys), body, PREPARING_CONNECTIONS, Duration.ZERO);
            mustSucceed(generator.run(writing, Window.untilDone()), "objects");
        }
    }

    private BenchResult measure(LoadGenerator generator, Endpoint target, KeySpace keys, Body body)
            throws InterruptedException {
        Workload workload = operation.workload(keys, freshKeys, putPercent, seed);
        var every = rate > 0 ? Duration.ofSeconds(connections).dividedBy(rate) : Duration.ZERO;
        var run = run(target, workload, body, connections, every);
        var measured = Duration.ofSeconds(seconds);
        Tally tally = generator.run(run, Window.of(Duration.ofSeconds(warmUp), measured));
        return new BenchResult(operation, size, connections, measured, tally);
    }

    private Run run(Endpoint target, Workload workload, Body body, int width, Duration every) {
        return new Run(target, workload, body, width, check, Duration.ofMillis(backOff), every);
    }

    private static void mustSucceed(Tally tally, String what) {
        if (tally.failed() > 0) {
            throw new IllegalArgumentException("the " + what + " could not be made: " + tally.failures());
        }
    }

    private KeySpace keys(CommandLine line) {
        if (keysFile == null) {
            var before = prefix.isEmpty() ? size + "/" : prefix;
            return KeySpace.numbered(bucket, before, objects, size.bytes());
        }
        try {
            return KeySpace.of(bucket, Files.readAllLines(keysFile), size.bytes());
        } catch (IOException e) {
            throw new ParameterException(line, "cannot read " + keysFile, e);
        }
    }

    private Endpoint endpoint(CommandLine line) {
        if (signing == Signing.NONE) {
            return new Endpoint(endpoint, Optional.empty(), false);
        }
        if (accessKey == null || secretKey == null) {
            throw new ParameterException(
                    line,
                    "Keys are needed: --access-key and --secret-key, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
                            + " (see sluice env), or --sign none");
        }
        var credentials = new Credentials(accessKey, secretKey, region);
        return new Endpoint(endpoint, Optional.of(credentials), signing == Signing.SIGNED);
    }

    private void requireSensibleNumbers(CommandLine line) {
        requireAtLeast(1, line, "--threads", threads);
        requireAtLeast(1, line, "--connections", connections);
        requireAtLeast(1, line, "--seconds", seconds);
        requireAtLeast(1, line, "--objects", objects);
        requireAtLeast(0, line, "--warm-up", warmUp);
        requireAtLeast(0, line, "--back-off", backOff);
        requireAtLeast(0, line, "--rate", rate);
    }

    private static void requireAtLeast(int least, CommandLine line, String option, int value) {
        if (value < least) {
            throw new ParameterException(line, option + " must be at least " + least);
        }
    }

    static final class SizeConverter implements CommandLine.ITypeConverter<ByteSize> {
        @Override
        public ByteSize convert(String text) {
            try {
                return ByteSize.parse(text);
            } catch (IllegalArgumentException e) {
                throw new CommandLine.TypeConversionException(e.getMessage());
            }
        }
    }

    static final class OperationConverter implements CommandLine.ITypeConverter<Operation> {
        @Override
        public Operation convert(String text) {
            return Operation.valueOf(text.toUpperCase(Locale.ROOT));
        }
    }

    static final class SigningConverter implements CommandLine.ITypeConverter<Signing> {
        @Override
        public Signing convert(String text) {
            return Signing.valueOf(text.toUpperCase(Locale.ROOT));
        }
    }

    /// Alone, without the rest of the command line.
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new BenchCommand()).execute(arguments));
    }
}
