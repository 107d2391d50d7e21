package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What `sluice doctor` finds on a machine and in a cluster.
final class DoctorCommandTest {
    private static final String WELL = "{\"version\":\"1.0 (commit a)\",\"ready\":true,\"drives\":[]}";
    private static final String SLOTS = "{\"slots\":{\"total\":16384,\"full\":%d,\"degraded\":%d,\"unopened\":%d,"
            + "\"protection\":{\"surviving\":{\"0\":7},\"zonal\":0,\"present\":1,\"missing\":0},"
            + "\"waiting\":{\"target004\":4}}%s}";
    private static final String USAGE = "{\"bytes\":%d,\"uploading\":0,\"quota\":100,\"cloud\":{\"targets\":[%s]%s}}";

    private final AtomicReference<String> health = new AtomicReference<>(WELL);
    private final AtomicReference<String> clusterHealth = new AtomicReference<>(SLOTS.formatted(16384, 0, 0, ""));
    private final AtomicReference<String> usage = new AtomicReference<>(USAGE.formatted(10, "", ""));
    private final AtomicReference<String> targetUrl = new AtomicReference<>("");
    private final AtomicReference<String> url = new AtomicReference<>("");
    private final AskedNode node;

    @TempDir
    private Path folder;

    DoctorCommandTest() throws IOException {
        node = new AskedNode(request -> switch (request.uri().getPath()) {
            case "/v1/daemon" -> """
                    {"pmap":{"proxy001":{"public_net":{"direct_url":"%s"}}},
                     "tmap":{"target001":{"public_net":{"direct_url":"%s"}}}}""".formatted(url.get(), targetUrl.get());
            case "/health" -> Objects.requireNonNull(health.get());
            case "/health/cluster" -> Objects.requireNonNull(clusterHealth.get());
            case "/v1/buckets" -> "[{\"name\":\"sets\"}]";
            case "/v1/buckets/sets" -> "{\"backend\":{\"url\":\"s3://sets\"}}";
            case "/v1/usage/sets" -> Objects.requireNonNull(usage.get());
            default -> "{}";
        });
        url.set(node.url());
        targetUrl.set(node.url());
    }

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void nothingIsToBeDoneWhereAllIsWell() {
        var said = node.sluice("doctor");
        assertThat(said.out())
                .contains(
                        "fine     target001: serves at " + node.url(),
                        "fine     versions: all nodes run 1.0 (commit a)",
                        "fine     clocks: ",
                        "fine     slots: all 16384 have their replicas",
                        "fine     bucket sets: its cloud answers every target",
                        "0 problems, 0 warnings")
                .doesNotContain("next:");
        assertThat(said.exitCode()).isZero();
    }

    @Test
    void whatIsWrongIsNamedWithWhatToDo() {
        health.set(WELL.replace(
                "[]", "[{\"path\":\"/d1\",\"id\":\"x\",\"state\":\"offline\",\"reason\":\"it is gone\"}]"));
        clusterHealth.set(SLOTS.formatted(16300, 80, 4, ",\"muted\":[\"target003\"]"));
        usage.set(USAGE.formatted(
                95, "{\"target\":\"target001\",\"failure\":\"403\"}", ",\"next\":\"correct the credentials\""));
        var said = node.sluice("doctor");
        assertThat(said.out())
                .contains(
                        "problem  target001: drive /d1 is offline",
                        "sluice drive detach --lost /d1",
                        "problem  target003: is muted",
                        "problem  slots: 4 of 16384 are not served: they wait for target004 (4)",
                        "problem  bucket sets: target001 cannot use the cloud: 403",
                        "         next: correct the credentials",
                        "warning  bucket sets: uses 95 % of its quota");
        assertThat(said.exitCode()).isEqualTo(1);
        assertThat(node.sluice("doctor", "--json").out().replaceAll("\\s", ""))
                .contains("{\"level\":\"PROBLEM\",\"about\":\"target003\",\"what\":");
    }

    @Test
    void warningsAreNoProblem() {
        clusterHealth.set(SLOTS.formatted(16304, 80, 0, ""));
        var said = node.sluice("doctor");
        assertThat(said.out())
                .contains(
                        "warning  slots: 80 of 16384 have fewer replicas than wanted; 7 of them survive no other loss",
                        "0 problems, 1 warnings");
        assertThat(said.exitCode()).isZero();
    }

    @Test
    void nodesThatDoNotAnswerOrRunAnotherVersionAreNamed() throws IOException {
        try (var older = new AskedNode(_ -> WELL.replace("1.0", "0.9"))) {
            targetUrl.set(older.url());
            assertThat(node.sluice("doctor").out())
                    .contains("warning  versions: nodes run several: {0.9 (commit a)=[target001], 1.0");
        }
        var said = node.sluice("doctor");
        assertThat(said.out()).contains("problem  target001: does not answer at " + targetUrl.get());
        assertThat(said.exitCode()).isEqualTo(1);
    }

    // ---- this machine

    @Test
    void aMachineThatIsReadyForANode() throws IOException {
        var said = ofMachine(freePort(), folder.resolve("d1"), "");
        assertThat(said.out())
                .contains("fine     target001: does not run; it can listen on 127.0.0.1:", "open files: ")
                .doesNotContain("problem  ");
        assertThat(said.exitCode()).isZero();
        assertThat(folder.resolve("d1")).doesNotExist();
        assertThat(folder.toFile().list()).containsExactly("node.toml");
    }

    @Test
    void aPortInUseAndWrongDrivesAreProblems() throws IOException {
        var file = Files.writeString(folder.resolve("file"), "no folder");
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var said = ofMachine(taken.getLocalPort(), file, "");
            assertThat(said.out()).contains("problem  target001: cannot listen on 127.0.0.1:", "ss -ltnp");
            assertThat(said.out()).contains("problem  " + file + ": is no folder");
            assertThat(said.exitCode()).isEqualTo(1);
        }
        assertThat(ofMachine(freePort(), Path.of("/proc/drive"), "").out())
                .contains("problem  /proc/drive: /proc cannot be written", "chown");
        assertThat(ofMachine(freePort(), Path.of("/dev/shm/drive"), "").out())
                .contains("warning  /dev/shm/drive: is in memory (tmpfs)");
    }

    @Test
    void fullDisksAndMissingCredentialsAreNamed() throws IOException {
        var lab = "[backends.lab]\ntype = \"gs\"\ncredentials_file = \"%s\"\n[storage]\nreserve = \"999999GiB\"\n"
                .formatted(folder.resolve("gone.json"));
        assertThat(ofMachine(freePort(), folder.resolve("d1"), lab).out())
                .contains(
                        "problem  backends.lab: " + folder.resolve("gone.json") + " cannot be read",
                        "less than storage.reserve (999999GiB)");
    }

    private AskedNode.Result ofMachine(int port, Path drive, String more) throws IOException {
        var file = Files.writeString(folder.resolve("node.toml"), """
                [node]
                id = "target001"
                role = "target"
                listen = "127.0.0.1:%d"
                [drives]
                paths = ["%s"]
                [[cluster.nodes]]
                id = "target001"
                role = "target"
                url = "http://127.0.0.1:1"
                [auth]
                access_key = "a"
                secret_key = "s"
                cluster_key = "0123456789abcdef"
                %s
                """.formatted(port, drive, more));
        var out = new StringWriter();
        var err = new StringWriter();
        int exitCode = Sluice.run(
                TrialSluice.installation(Map.of()),
                new PrintWriter(out),
                new PrintWriter(err),
                "doctor",
                "--config",
                file.toString());
        return new AskedNode.Result(exitCode, out.toString(), err.toString());
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
