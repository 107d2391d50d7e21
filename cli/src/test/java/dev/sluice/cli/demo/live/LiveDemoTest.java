package dev.sluice.cli.demo.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.cli.Sluice;
import dev.sluice.cli.command.Installation;
import dev.sluice.cli.demo.DemoClusters;
import dev.sluice.cli.demo.DemoOptions;
import dev.sluice.cli.node.Nodes;
import dev.sluice.cli.process.JvmCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `sluice demo` and `sluice bench-cold` with their two clusters as real processes, on small data.
class LiveDemoTest {
    private static final JvmCommand JVM = new JvmCommand(
            Path.of(System.getProperty("java.home"), "bin", "java"),
            List.of(
                    "-XX:TieredStopAtLevel=1",
                    "-Xmx256m",
                    "--enable-native-access=ALL-UNNAMED",
                    "--sun-misc-unsafe-memory-access=allow"),
            System.getProperty("java.class.path"),
            Sluice.class.getName());

    @TempDir
    Path folder = Path.of("");

    @Tag("long") // DemoCommandTest has a short form
    @Test
    void everyShardIsFetchedOnceAndNothingIsLeft() throws IOException {
        var page = folder.resolve("page.html");
        var out = sluice(
                "demo",
                "--shards=4",
                "--samples-per-shard=20",
                "--warm-epochs=1",
                "--workers=3",
                "--latency-ms=5",
                "--html=" + page);
        assertThat(out).contains("Every digest is right; the cloud gave every shard once");
        assertThat(page).content().contains("<svg");
    }

    @Tag("long") // ColdFillTests count the same of a cluster
    @Test
    void manyReadersOfAColdObjectCostOneBackendGet() throws IOException {
        var out = sluice("bench-cold", "--rounds=1", "--size-mib=2", "--readers=8", "--warm-up=2", "--latency-ms=5");
        assertThat(out).contains("backend GETs: 1 an object; 1 with 8 readers at once");
    }

    /// A command that must succeed and leave nothing in the temporary folder. Returns what it printed.
    private String sluice(String... arguments) throws IOException {
        Path temporary = Files.createDirectory(folder.resolve("temporary"));
        var out = new StringWriter();
        var err = new StringWriter();
        var installation =
                new Installation(JVM, Nodes::factory, Map.of("TMPDIR", temporary.toString()), Optional.empty());
        int exitCode = Sluice.run(installation, new PrintWriter(out), new PrintWriter(err), arguments);
        assertThat(exitCode).as("%s%n%s", out, err).isZero();
        assertThat(temporary).isEmptyDirectory();
        return out.toString();
    }

    @Test
    void aCloudWithoutKeysOrWithoutAnAddressIsRefusedAndNothingIsLeft() throws Exception {
        var withoutKeys = new LiveStarter(JVM, Map.of(), folder);
        assertRefused(withoutKeys, "http://127.0.0.1:9", "AWS_ACCESS_KEY_ID");
        assertRefused(withoutKeys, "s3://bucket", "is not an address");
        assertThat(folder).isEmptyDirectory();
    }

    private static void assertRefused(DemoClusters.Starter starter, String cloud, String reason) {
        var site = new DemoOptions.Site(
                Optional.empty(), Optional.empty(), Optional.of(URI.create(cloud)), Duration.ZERO, 1 << 20);
        assertThatThrownBy(() -> starter.start(site, _ -> {})).hasMessageContaining(reason);
    }
}
