package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.cluster.ClusterFile;
import dev.sluice.cli.process.JvmMemory;
import dev.sluice.cli.process.ProcessStamp;
import dev.sluice.cli.process.Signals;
import dev.sluice.cli.process.StartCache;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// `up`, `down`, `node` and `status` with real processes, whose nodes only answer /health.
@Execution(ExecutionMode.CONCURRENT)
final class ClusterLifecycleTest {
    private static final int LOWEST_PORT = 31_000;
    private static final int FIRST_TARGET = 100;
    private static final int PER_BLOCK = 25;
    private static final int CLUSTERS = 8 * PER_BLOCK;

    /// Other checkouts run their tests at the same time.
    private static final AtomicInteger NEXT =
            new AtomicInteger((int) (ProcessHandle.current().pid() % CLUSTERS));

    private record Result(int exitCode, String out, String err) {}

    @TempDir
    Path parent = Path.of("");

    private Path dir = Path.of("");
    private String port = "";
    private Optional<StartCache> startCache = Optional.empty();

    @BeforeEach
    void choose() throws IOException {
        dir = parent.resolve("cluster");
        port = Integer.toString(freePort());
    }

    @AfterEach
    void leaveNoProcess() {
        sluice(Map.of(), "down", "--grace", "5");
    }

    private Result sluice(Map<String, String> environment, String... arguments) {
        var all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--dir", dir.toString()));
        var out = new StringWriter();
        var err = new StringWriter();
        var exitCode = Sluice.run(
                TrialSluice.installation(environment, startCache),
                new PrintWriter(out),
                new PrintWriter(err),
                all.toArray(String[]::new));
        return new Result(exitCode, out.toString(), err.toString());
    }

    private Result up(String... options) {
        var all = new ArrayList<>(List.of("up", "--port", port, "--targets", "2"));
        all.addAll(List.of(options));
        return sluice(Map.of(), all.toArray(String[]::new));
    }

    private ClusterFile cluster() {
        return ClusterFile.read(dir.resolve("cluster.json")).orElseThrow();
    }

    private static int health(String url) throws IOException, InterruptedException {
        try (var client = HttpClient.newHttpClient()) {
            var request = HttpRequest.newBuilder(URI.create(url + "/health")).build();
            return client.send(request, BodyHandlers.discarding()).statusCode();
        }
    }

    @Test
    void anEmbeddedClusterServesUntilItIsStopped() throws Exception {
        var started = up();
        assertThat(started.exitCode()).as(started.err()).isZero();
        var first = cluster();
        assertThat(started.out()).contains("eval \"$(./sluice env").doesNotContain(first.secretKey());
        assertThat(up("--json").out()).contains(first.endpoint()).doesNotContain(first.secretKey());
        assertThat(first.nodes())
                .extracting(ClusterFile.Node::id)
                .containsExactly("proxy001", "target001", "target002");
        assertThat(first.processes()).hasSize(1);
        for (var node : first.nodes()) {
            assertThat(health(node.url())).isEqualTo(200);
        }
        assertThat(sluice(Map.of(), "status").exitCode()).isZero();
        assertThat(sluice(Map.of(), "env").out())
                .isEqualTo(
                        "export AWS_ENDPOINT_URL='%s' AWS_ACCESS_KEY_ID='%s' AWS_SECRET_ACCESS_KEY='%s' AWS_DEFAULT_REGION='us-east-1'%n",
                        first.s3Endpoint(), first.accessKey(), first.secretKey());

        var again = up();
        assertThat(again.exitCode()).isZero();
        assertThat(again.out()).contains("already running at " + first.endpoint());
        assertThat(cluster()).isEqualTo(first);

        var other = up("--separate", "--drives", "3");
        assertThat(other.exitCode()).isEqualTo(2);
        assertThat(other.err()).contains("--drives 3 (runs with 2)", "--separate true (runs with false)");

        var single = sluice(Map.of(), "node", "kill", "target001");
        assertThat(single.exitCode()).isEqualTo(2);
        assertThat(single.err()).contains("one process");

        assertThat(sluice(Map.of(), "down").exitCode()).isZero();
        assertThat(first.anyAlive()).isFalse();
        assertThat(dir.resolve("cluster.json")).doesNotExist();
        assertThat(Files.readString(Path.of(first.nodes().getFirst().log()))).contains(" ready", " stopped");
        assertThat(sluice(Map.of(), "status").exitCode()).isEqualTo(1);
        assertThat(sluice(Map.of(), "env").err()).contains("no cluster runs in " + dir);

        assertThat(sluice(Map.of(), "up").exitCode()).isZero();
        assertThat(cluster())
                .as("the same endpoint and keys after a restart, though no option was repeated")
                .returns(first.endpoint(), ClusterFile::endpoint)
                .returns(first.secretKey(), ClusterFile::secretKey);
    }

    @Test
    void separateNodesAreKilledAndStartedOneByOne() throws Exception {
        assertThat(up("--separate"))
                .satisfies(
                        result -> assertThat(result.exitCode()).as(result.err()).isZero());
        assertThat(cluster().processes()).hasSize(3);
        assertThat(sluice(Map.of(), "node", "kill", "target002").out()).contains("target002 killed");
        var status = sluice(Map.of(), "status", "--json");
        assertThat(status.exitCode()).isEqualTo(1);
        assertThat(status.out()).contains("\"degraded\"", "\"stopped\"");
        assertThat(up("--separate").out()).contains("target002 is not running");

        var started = sluice(Map.of(), "node", "start", "target002");
        assertThat(started.exitCode()).as(started.err()).isZero();
        assertThat(sluice(Map.of(), "status").exitCode()).isZero();
        assertThat(sluice(Map.of(), "node", "stop", "target001").out()).contains("target001 stopped");
        assertThat(sluice(Map.of(), "node", "start", "nobody").err()).contains("no node 'nobody'", "proxy001");
        assertThat(sluice(Map.of(), "node", "start", "target001").exitCode()).isZero();
        assertThat(cluster().processes()).allMatch(ProcessStamp::alive);
    }

    @Test
    void eachProcessGetsMemoryForItsNodesBeforeTheFlagsOfTheInstallation() throws IOException {
        assertThat(up().exitCode()).isZero();
        assertThat(memory(cluster().processes().getFirst()))
                .startsWith(JvmMemory.ofThisMachine(3, 3).flags().toArray(String[]::new))
                .endsWith("-Xmx64m");
        assertThat(sluice(Map.of(), "down").exitCode()).isZero();
        assertThat(up("--separate").exitCode()).isZero();
        assertThat(sluice(Map.of(), "node", "kill", "target002").exitCode()).isZero();
        assertThat(sluice(Map.of(), "node", "start", "target002").exitCode()).isZero();
        for (var process : cluster().processes()) {
            assertThat(memory(process))
                    .startsWith(JvmMemory.ofThisMachine(1, 3).flags().toArray(String[]::new));
        }
    }

    /// The flags of a JVM that say how large it may be, in their order.
    private static List<String> memory(ProcessStamp process) throws IOException {
        return Files.readString(Path.of("/proc/" + process.pid() + "/cmdline"))
                .transform(line -> List.of(line.split("\0")))
                .stream()
                .filter(flag -> flag.startsWith("-Xmx") || flag.startsWith("-XX:MaxDirect"))
                .toList();
    }

    @Test
    void eachStartHasTheStartCacheMadeWithoutWaitingForIt() throws Exception {
        var script = parent.resolve("script");
        var fifo = parent.resolve("fifo");
        var made = parent.resolve("made");
        assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor())
                .isZero();
        Files.writeString(
                script, "#!/bin/sh\nread go < %s\necho $SLUICE_DIST $1 $(nice) >> %s\n".formatted(fifo, made));
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
        startCache = Optional.of(new StartCache(script, parent));
        assertThat(up().exitCode()).as("though the script waits").isZero();
        assertThat(up().out()).contains("already running");
        assertThat(made).doesNotExist();
        Files.writeString(fifo, "go\n");
        while (!Files.exists(made) || Files.size(made) == 0) {
            Thread.onSpinWait();
        }
        assertThat(made).hasContent(parent + " --background 19\n");

        assertThat(sluice(Map.of(), "down").exitCode()).isZero();
        startCache = Optional.of(new StartCache(parent.resolve("none"), parent.resolve("none")));
        var without = up();
        assertThat(without.exitCode()).isZero();
        assertThat(without.err()).contains("no start cache");
    }

    @Test
    void aClusterThatWasKilledIsRecovered() {
        assertThat(up().exitCode()).isZero();
        var keys = cluster().secretKey();
        var killed = cluster().processes();
        Signals.kill(killed);
        while (killed.stream().anyMatch(ProcessStamp::alive)) {
            Thread.onSpinWait(); // its port is its until it is gone
        }
        var recovered = up();
        assertThat(recovered.exitCode()).as(recovered.err()).isZero();
        assertThat(recovered.err()).contains("recovered");
        assertThat(cluster().secretKey()).isEqualTo(keys);
        assertThat(cluster().anyAlive()).isTrue();
    }

    @Test
    void aPortInUseLeavesNothingBehind() throws IOException {
        try (var _ = new ServerSocket(Integer.parseInt(port) + 101, 1, InetAddress.getLoopbackAddress())) {
            var refused = up();
            assertThat(refused.exitCode()).isEqualTo(2);
            assertThat(refused.err())
                    .contains("target002 cannot listen on 127.0.0.1:" + (Integer.parseInt(port) + 101));
        }
        assertThat(parent).isEmptyDirectory();
    }

    @Test
    void aRefusedStartGivesTheReasonAndLeavesNothingBehind() throws IOException {
        var settings = parent.resolve("mine.toml");
        Files.writeString(settings, "[auth]\nregion = \"refuse\"\n");
        var refused = up("--config", settings.toString(), "--separate");
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.err()).contains("did not start: the region refuse is not served");
        assertThat(parent.toFile().list()).containsExactly("mine.toml");
    }

    @Test
    void aClusterOfBeforeThatDoesNotStartAgainIsToldOfForget() throws IOException {
        var settings = parent.resolve("mine.toml");
        Files.writeString(settings, "[auth]\nregion = \"fine\"\n");
        assertThat(up("--config", settings.toString(), "--separate").exitCode()).isZero();
        assertThat(sluice(Map.of(), "down").exitCode()).isZero();
        Files.writeString(settings, "[auth]\nregion = \"refuse\"\n");
        var refused = up("--config", settings.toString(), "--separate");
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.err()).contains("did not start: the region refuse", "gone for good: sluice cluster forget");
    }

    @Test
    void unknownSettingsAndChangedDrivesAreRefused() throws IOException {
        var settings = parent.resolve("mine.toml");
        Files.writeString(settings, "[cluster]\ndrive = 3\n");
        var unknown = up("--config", settings.toString());
        assertThat(unknown.exitCode()).isEqualTo(2);
        assertThat(unknown.err()).contains("mine.toml: unknown key 'cluster.drive'");
        assertThat(dir).doesNotExist();

        assertThat(up().exitCode()).isZero();
        assertThat(sluice(Map.of(), "down").exitCode()).isZero();
        var changed = up("--drives", "1");
        assertThat(changed.exitCode()).isEqualTo(2);
        assertThat(changed.err()).contains("missing now", "drive2");
        assertThat(dir.resolve("target001/drive2")).isDirectory();
    }

    @Test
    void keysOfTheEnvironmentAreTakenAndKept() {
        var environment = Map.of("SLUICE_ACCESS_KEY", "mine", "SLUICE_SECRET_KEY", "mine-too");
        assertThat(sluice(environment, "up", "--port", port, "--targets", "1", "--drives", "1")
                        .exitCode())
                .isZero();
        assertThat(cluster()).returns("mine", ClusterFile::accessKey).returns("mine-too", ClusterFile::secretKey);
        var other = sluice(Map.of("SLUICE_SECRET_KEY", "other"), "up");
        assertThat(other.exitCode()).isEqualTo(2);
        assertThat(other.err()).contains("SLUICE_SECRET_KEY").doesNotContain("mine-too");
    }

    @Test
    void anInterruptedStartLeavesNothingBehind() throws Exception {
        var output = parent.resolve("up.out");
        var up = TrialSluice.installation(Map.of())
                .jvm()
                .startDetached(List.of("up", "--separate", "--port", port, "--dir", dir.toString()), output.toFile());
        while (!Files.exists(dir.resolve("run/target001.json"))) {
            assertThat(up.waitFor(5, TimeUnit.MILLISECONDS))
                    .as(Files.readString(output))
                    .isFalse();
        }
        var first = ProcessStamp.of(childOf(up)).orElseThrow();
        up.destroy();
        assertThat(up.onExit().join().exitValue()).isEqualTo(143);
        assertThat(first.alive()).isFalse();
        assertThat(dir).doesNotExist();
    }

    private static long childOf(Process process) {
        return process.children().findFirst().orElseThrow().pid();
    }

    /// A port that is free with those of two targets above it. No other test of this JVM was given it. The clusters of
    /// deploy have lower ones, and the system gives higher ones to outgoing connections.
    private static int freePort() throws IOException {
        var address = InetAddress.getLoopbackAddress();
        for (int tries = 0; tries < CLUSTERS; tries++) {
            int number = NEXT.getAndIncrement() % CLUSTERS;
            int candidate = LOWEST_PORT + number / PER_BLOCK * 2 * FIRST_TARGET + number % PER_BLOCK * 4;
            if (free(address, candidate)
                    && free(address, candidate + FIRST_TARGET)
                    && free(address, candidate + FIRST_TARGET + 1)) {
                return candidate;
            }
        }
        throw new IOException("no free ports");
    }

    private static boolean free(InetAddress address, int port) {
        try (var socket = new ServerSocket(port, 1, address)) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }
}
