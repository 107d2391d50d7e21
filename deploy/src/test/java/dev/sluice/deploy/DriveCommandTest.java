package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.deploy.harness.Eventually;
import dev.sluice.deploy.harness.Mode;
import dev.sluice.deploy.harness.Running;
import dev.sluice.deploy.harness.SluiceCluster;
import dev.sluice.testing.PromiseBroken;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Exception;

/// Drives that go out, are disabled and come back, as clients and operators see it.
@Tag("shared")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class DriveCommandTest {
    private static final int OBJECTS = 60;

    /// Three probes, and some for a busy machine.
    private static final Duration RETURN = Duration.ofSeconds(90);

    @TempDir
    private Path folder;

    private String bucket = "drives";

    private static Path firstDrive(SluiceCluster cluster) {
        return cluster.drives(cluster.targets().getFirst()).getFirst();
    }

    private SluiceCluster startWithTwoDrives() {
        return SluiceCluster.start(
                folder.resolve("cluster"), Map.of(), "--separate", "--targets", "1", "--drives", "2");
    }

    private void putAll(SluiceCluster cluster, S3Client s3) {
        cluster.run("bucket", "create", bucket, "--replicas", "1");
        for (int i = 0; i < OBJECTS; i++) {
            put(s3, i);
        }
    }

    @Test
    void aDriveIsDisabledAndEnabled(@Running(Mode.SEPARATE) SluiceCluster cluster) throws Exception {
        try (var s3 = cluster.endpoint().client()) {
            putAll(cluster, s3);
            var drive = firstDrive(cluster);
            assertThat(statuses(s3)).containsOnly(200);
            assertThat(cluster.run("drive", "list").outText())
                    .contains("target001", drive.toString(), "online")
                    .doesNotContain("disabled");

            assertThat(cluster.run("drive", "disable", drive.toString()).outText())
                    .contains("is disabled");
            assertThat(statuses(s3)).contains(200, 503).doesNotContain(500);
            assertThatThrownBy(() -> s3.listObjectsV2(request -> request.bucket(bucket)))
                    .isInstanceOfSatisfying(
                            S3Exception.class, e -> assertThat(e.statusCode()).isEqualTo(503));
            s3.createBucket(request -> request.bucket("meanwhile"));
            assertThat(cluster.run("status").outText()).contains(drive + " is disabled");
            cluster.run("drive", "enable", drive.toString());
            Eventually.holds(RETURN, () -> assertThat(statuses(s3)).containsOnly(200));
        }
    }

    @Tag("long")
    @Test
    void aDriveThatIsDisabledOrAwayComesBackAfterARestartOrAtOnce() throws Exception {
        try (var cluster = startWithTwoDrives();
                var s3 = cluster.endpoint().client()) {
            putAll(cluster, s3);
            var drive = firstDrive(cluster);
            cluster.run("drive", "disable", drive.toString());
            cluster.down();
            cluster.up();
            assertThat(statuses(s3)).contains(200, 503).doesNotContain(500);
            cluster.run("drive", "enable", drive.toString());
            Eventually.holds(RETURN, () -> assertThat(statuses(s3)).containsOnly(200));

            var away = drive.resolveSibling("away");
            Files.move(drive, away);
            Eventually.holds(
                    RETURN,
                    () -> assertThatThrownBy(() -> cluster.run("status"))
                            .hasMessageContaining(drive + " is offline")
                            .hasMessageContaining("is its disk mounted?"));
            assertThat(health(cluster.targets().getFirst().url())).contains("\"ready\":true", "\"state\":\"offline\"");
            assertThat(statuses(s3)).contains(200, 503).doesNotContain(500);
            assertThat(drive).doesNotExist();
            Files.move(away, drive);
            Eventually.holds(RETURN, () -> assertThat(statuses(s3)).containsOnly(200));
            assertThat(cluster.run("status").outText()).doesNotContain(drive + " is");
            assertThat(s3.listObjectsV2(request -> request.bucket(bucket)).contents())
                    .hasSize(OBJECTS);
        }
    }

    /// A cluster of its own: buckets of other tests could get replicas on the drive, and keep it.
    @Test
    void aDriveIsAttachedSurvivesARestartAndIsDetached() throws Exception {
        bucket = "attached";
        try (var cluster = SluiceCluster.start(folder.resolve("cluster"), Map.of(), "--separate", "--targets", "1");
                var s3 = cluster.endpoint().client()) {
            cluster.run("bucket", "create", bucket, "--replicas", "1");
            var more = folder.resolve("more").toString();
            assertThat(cluster.run("drive", "attach", more, "--target", "target001")
                            .outText())
                    .contains("is attached");
            for (int i = 0; i < OBJECTS; i++) {
                put(s3, i);
            }
            cluster.node("stop", "target001");
            cluster.node("start", "target001");
            assertThat(cluster.run("drive", "list").outText()).contains(more);
            assertThat(statuses(s3)).containsOnly(200);
            assertThat(cluster.run("drive", "detach", more).outText()).contains("leaves when");
            Eventually.holds(
                    RETURN,
                    () -> assertThat(cluster.run("drive", "list").outText()).doesNotContain(more));
            assertThat(statuses(s3)).containsOnly(200);
            assertThat(Path.of(more, ".sluice", "drive.json.detached")).exists();
        }
    }

    private static String key(int i) {
        return "shard-%03d".formatted(i);
    }

    private void put(S3Client s3, int i) {
        s3.putObject(request -> request.bucket(bucket).key(key(i)), RequestBody.fromBytes(Content.of(key(i), 1000)));
    }

    /// Of a GET of each object; what is answered with 200 is right, and none is said not to exist.
    private List<Integer> statuses(S3Client s3) {
        var statuses = new ArrayList<Integer>();
        for (int i = 0; i < OBJECTS; i++) {
            var key = key(i);
            try {
                var bytes =
                        s3.getObjectAsBytes(request -> request.bucket(bucket).key(key));
                assertThat(bytes.asByteArray()).isEqualTo(Content.of(key, 1000));
                statuses.add(200);
            } catch (S3Exception refused) {
                PromiseBroken.check(() -> assertThat(refused.statusCode())
                        .as("%s: %s", key, refused.awsErrorDetails())
                        .isNotEqualTo(404));
                statuses.add(refused.statusCode());
            }
        }
        return statuses;
    }

    private static String health(URI node) throws IOException, InterruptedException {
        try (var http = HttpClient.newHttpClient()) {
            return http.send(
                            HttpRequest.newBuilder(node.resolve("/health")).build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
        }
    }
}
