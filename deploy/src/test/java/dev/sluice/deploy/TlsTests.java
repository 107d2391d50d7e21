package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.backend.peers.RequiresPeer;
import dev.sluice.deploy.harness.Finished;
import dev.sluice.deploy.harness.Mode;
import dev.sluice.deploy.harness.Repository;
import dev.sluice.deploy.harness.SelfSigned;
import dev.sluice.deploy.harness.SluiceCluster;
import dev.sluice.deploy.harness.Tools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/// A cluster whose certificate signed itself serves those who are given it, and nobody else.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class TlsTests {
    /// The machine may name authorities for all programs: not here.
    private static final Map<String, String> NOBODY = Map.of("AWS_CA_BUNDLE", "");

    private final Mode mode;
    private Path folder = Path.of("");
    private Path certificate = Path.of("");
    private Path settings = Path.of("");
    private @Nullable SluiceCluster started;

    TlsTests(Mode mode) {
        this.mode = mode;
    }

    @BeforeAll
    void makeKeys(@TempDir Path temporary) throws IOException, GeneralSecurityException {
        folder = temporary;
        var keys = SelfSigned.in(folder);
        certificate = keys.certificate();
        settings = Files.writeString(
                folder.resolve("settings.toml"),
                "[http]%ntls_certificate = \"../%s\"%ntls_key = \"%s\"%n"
                        .formatted(certificate.getFileName(), keys.key()));
    }

    /// Of the cluster, in PEM.
    final Path certificate() {
        return certificate;
    }

    @AfterAll
    void stop() {
        if (started != null) {
            started.close();
        }
    }

    /// Started by the first test that asks.
    final SluiceCluster cluster() {
        var now = started;
        if (now == null) {
            var options = Stream.concat(
                    Stream.of("--config", settings.toString(), "--targets", "2", "--drives", "1"),
                    Stream.of(mode.options()));
            now = SluiceCluster.start(folder.resolve("cluster"), NOBODY, options.toArray(String[]::new));
            started = now;
        }
        return now;
    }

    @Test
    @RequiresPeer({"python", "aws"})
    void s3ClientsAreServedByEveryNode() {
        var nodes = cluster().nodes();
        assertThat(nodes).allMatch(node -> node.url().getScheme().equals("https"));
        var environment = new HashMap<>(cluster().endpoint().environment());
        environment.put("SLUICE_CERTIFICATE", certificate.toString());
        environment.put(
                "SLUICE_NODES",
                nodes.stream().map(node -> node.url().toString()).collect(Collectors.joining(" ")));
        environment.put("AWS_CLI", Tools.peer("aws").toString());
        var script = List.of(
                Tools.peer("python").toString(), Repository.script("tls.py").toString());
        var finished = Finished.run(Duration.ofMinutes(5), environment, script).orFail("");
        System.out.println(mode + "\n" + finished.outText());
        for (var target : cluster().targets()) {
            assertThat(cluster().objectFiles("tls"))
                    .as("some of the keys live on %s, and others do not", target.id())
                    .anyMatch(file -> file.toString().contains("/" + target.id() + "/"));
        }
    }

    @Test
    void commandsTrustTheClusterInTheirFolder() throws IOException {
        var shard = Files.write(folder.resolve("shard"), Content.of("tls shard", 16 * Content.MIB));
        var back = folder.resolve("back");
        assertThat(cluster().run("status").outText()).contains("serving").doesNotContain("unreachable");
        cluster().run("bucket", "create", "commands");
        cluster().run("put", shard.toString(), "commands/shard");
        assertThat(cluster().run("ls", "commands").outText()).contains("shard");
        cluster().run("get", "commands/shard", back.toString());
        assertThat(back).hasSameBinaryContentAs(shard);
        assertThat(cluster().run("env").outText()).contains(" AWS_CA_BUNDLE='" + certificate + "'");
        var elsewhere = Map.of("AWS_CA_BUNDLE", folder.resolve("no-such-file").toString());
        cluster().attempt(elsewhere, "stat", "commands/shard").orFail("whatever the machine trusts");
    }

    @Test
    void commandsAtAnAddressMustBeToldWhomToTrust() {
        var byName = "https://localhost:" + cluster().endpoint().url().getPort();
        var keys = new HashMap<>(cluster().endpoint().environment());
        cluster()
                .attempt(keys, "status", "--cluster", byName, "--ca", certificate.toString())
                .orFail("");
        var refused = cluster().attempt(keys, "bucket", "ls", "--cluster", byName);
        assertThat(refused.exit()).isEqualTo(1);
        assertThat(refused.err())
                .startsWith("sluice: " + byName)
                .contains("certificate is not known", "--ca FILE", "AWS_CA_BUNDLE")
                .hasLineCount(1);
        keys.put("AWS_CA_BUNDLE", certificate.toString());
        cluster().attempt(keys, "bucket", "ls", "--cluster", byName).orFail("");
    }
}
