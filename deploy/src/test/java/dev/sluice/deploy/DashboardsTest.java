package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.backend.peers.PeerServer;
import dev.sluice.backend.peers.RequiresPeer;
import dev.sluice.deploy.harness.Endpoint;
import dev.sluice.deploy.harness.Eventually;
import dev.sluice.deploy.harness.Finished;
import dev.sluice.deploy.harness.Repository;
import dev.sluice.deploy.harness.SluiceCluster;
import dev.sluice.deploy.harness.Tools;
import dev.sluice.testing.FreePort;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;

/// Every expression of the dashboards and of the alert rules finds a series in a Prometheus that watches a cluster.
@Tag("long")
@RequiresPeer("minio")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
final class DashboardsTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final Path RULES = Repository.root().resolve("deploy/prometheus/alerts.yml");
    private static final Pattern RULE = Pattern.compile("(?m)^ +expr: (.+)$");

    /// The comparison that makes an alert of a figure.
    private static final Pattern COMPARISON = Pattern.compile(" (==|>|<) [0-9. *]+$");

    private static final Duration SCRAPED = Duration.ofSeconds(60);
    private static final Duration LIMIT = Duration.ofMinutes(1);

    @TempDir
    private Path folder;

    @Test
    void everyExpressionFindsASeries() throws Exception {
        try (var minio = PeerServer.minio(folder.resolve("minio"));
                var cloud = new Endpoint(minio.url(), PeerServer.MINIO_USER, PeerServer.MINIO_PASSWORD).client();
                var cluster = cluster();
                var s3 = cluster.endpoint().client();
                var prometheus = new Prometheus(folder.resolve("prometheus"), cluster)) {
            cloud.createBucket(request -> request.bucket("sets"));
            put(cloud, "sets", "train/a");
            put(cloud, "sets", "train/b");
            use(cluster, s3, minio.url());
            for (var expression : expressions()) {
                Eventually.within(SCRAPED, () -> {
                    read(s3);
                    assertThat(prometheus.series(expression)).as(expression).isPositive();
                    return expression;
                });
            }
        }
    }

    @Test
    void rulesAreValid() {
        var promtool = Tools.peer("prometheus").resolveSibling("promtool").toString();
        Finished.run(LIMIT, Map.of(), List.of(promtool, "check", "rules", RULES.toString()))
                .orFail("");
    }

    private SluiceCluster cluster() throws IOException {
        var credentials = Files.writeString(
                folder.resolve("credentials"), """
                [lab]
                aws_access_key_id = %s
                aws_secret_access_key = %s
                """.formatted(PeerServer.MINIO_USER, PeerServer.MINIO_PASSWORD));
        return SluiceCluster.start(
                folder.resolve("cluster"),
                Map.of("AWS_SHARED_CREDENTIALS_FILE", credentials.toString(), "AWS_CONFIG_FILE", "/dev/null"),
                "--targets",
                "2");
    }

    /// So that what is counted by use is there.
    private static void use(SluiceCluster cluster, S3Client s3, URI cloud) {
        cluster.run("bucket", "create", "two", "--replicas", "2");
        cluster.run("bucket", "create", "limited", "--quota", "1GiB");
        cluster.run(
                "bucket",
                "create",
                "sets",
                "--backend",
                "s3://sets",
                "--backend-endpoint",
                cloud.toString(),
                "--profile",
                "lab",
                "--revalidate",
                "always");
        put(s3, "limited", "k");
        cluster.run("prefetch", "sets/train/", "--wait");
        cluster.run("evict", "sets/train/a", "--yes", "--wait");
        cluster.run("scrub", "start", "--wait");
    }

    private static void read(S3Client s3) {
        for (var key : List.of("train/a", "train/b")) {
            assertThat(s3.getObjectAsBytes(request -> request.bucket("sets").key(key))
                            .asByteArray())
                    .isEqualTo(Content.of(key, 1000));
        }
        s3.listObjectsV2(request -> request.bucket("limited"));
    }

    private static void put(S3Client s3, String bucket, String key) {
        s3.putObject(request -> request.bucket(bucket).key(key), RequestBody.fromBytes(Content.of(key, 1000)));
    }

    private static List<String> expressions() throws IOException {
        var all = new ArrayList<String>();
        try (var files = Files.list(Repository.root().resolve("deploy/grafana"))) {
            for (var dashboard : files.sorted().toList()) {
                var panels = JSON.readTree(Files.readAllBytes(dashboard)).findValues("expr");
                assertThat(panels).as(dashboard.toString()).isNotEmpty();
                panels.stream()
                        .map(JsonNode::asText)
                        .map(expression -> expression
                                .replace("$__rate_interval", "30s")
                                .replaceAll("\"\\$(node|bucket|drive)\"", "\".*\""))
                        .forEach(all::add);
            }
        }
        var rules = RULE.matcher(Files.readString(RULES))
                .results()
                .map(rule -> COMPARISON.matcher(rule.group(1)).replaceFirst(""))
                .toList();
        assertThat(rules).hasSizeGreaterThan(10);
        all.addAll(rules);
        return all;
    }

    /// One that asks every node of a cluster each second.
    private static final class Prometheus implements AutoCloseable {
        private final String url;
        private final Process process;
        private final HttpClient http = HttpClient.newHttpClient();

        Prometheus(Path folder, SluiceCluster cluster) throws IOException {
            Files.createDirectories(folder);
            var nodes = cluster.nodes().stream()
                    .map(node -> "\"" + node.url().getAuthority() + "\"")
                    .collect(Collectors.joining(", "));
            var settings = Files.writeString(folder.resolve("prometheus.yml"), """
                    global: {scrape_interval: 1s}
                    rule_files: ["%s"]
                    scrape_configs:
                      - job_name: sluice
                        static_configs: [{targets: [%s]}]
                    """.formatted(RULES, nodes));
            var address = "127.0.0.1:" + FreePort.next();
            url = "http://" + address;
            process = new ProcessBuilder(
                            Tools.peer("prometheus").toString(),
                            "--config.file=" + settings,
                            "--storage.tsdb.path=" + folder.resolve("data"),
                            "--web.listen-address=" + address)
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("log").toFile())
                    .start();
        }

        /// How many an expression has now.
        int series(String expression) throws IOException, InterruptedException {
            var query = "/api/v1/query?query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8);
            var answer =
                    http.send(HttpRequest.newBuilder(URI.create(url + query)).build(), BodyHandlers.ofString());
            var said = JSON.readTree(answer.body());
            assertThat(said.path("status").asText()).as(answer.body()).isEqualTo("success");
            return said.path("data").path("result").size();
        }

        @Override
        public void close() {
            http.close();
            process.destroy();
            try {
                process.waitFor();
            } catch (InterruptedException e) {
                process.destroyForcibly();
                Thread.currentThread().interrupt();
            }
        }
    }
}
