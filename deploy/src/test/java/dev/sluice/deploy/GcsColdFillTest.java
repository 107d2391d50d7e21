package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.backend.peers.PeerServer;
import dev.sluice.backend.peers.RequiresPeer;
import dev.sluice.deploy.harness.Mode;
import dev.sluice.deploy.harness.Running;
import dev.sluice.deploy.harness.SluiceCluster;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.S3Object;

/// A bucket before a GCS bucket, from creation by the CLI to reading, writing, listing and deleting through S3.
@Tag("shared")
@RequiresPeer("fake-gcs-server")
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class GcsColdFillTest {
    private static final String BUCKET = "gcs-cold-fill";

    private final SluiceCluster cluster;
    private final HttpClient http = HttpClient.newHttpClient();

    GcsColdFillTest(@Running(Mode.SEPARATE) SluiceCluster cluster) {
        this.cluster = cluster;
    }

    @Test
    void aGcsBucketIsReadWrittenAndListedThroughS3(@TempDir Path folder) throws Exception {
        try (var gcs = PeerServer.fakeGcs(folder);
                var s3 = cluster.endpoint().client()) {
            send(gcs, "POST", "/storage/v1/b?project=test", "{\"name\":\"" + BUCKET + "\"}");
            var body = Content.of("cold", 3 * Content.MIB + 7);
            upload(gcs, BUCKET, "train/000.tar", body);
            upload(gcs, BUCKET, "train/001.tar", body);
            cluster.run(
                    "bucket",
                    "create",
                    BUCKET,
                    "--backend",
                    "gs://" + BUCKET,
                    "--backend-endpoint",
                    gcs.url().toString(),
                    "--profile",
                    "anonymous");

            for (int read = 0; read < 2; read++) {
                assertThat(Content.digest(s3.getObjectAsBytes(
                                        request -> request.bucket(BUCKET).key("train/000.tar"))
                                .asByteArray()))
                        .isEqualTo(Content.digest(body));
            }
            s3.putObject(request -> request.bucket(BUCKET).key("new"), RequestBody.fromString("written through"));
            assertThat(send(gcs, "GET", media("new"), "").body()).isEqualTo("written through");
            assertThat(s3.listObjectsV2(request -> request.bucket(BUCKET)).contents().stream()
                            .map(S3Object::key))
                    .containsExactly("new", "train/000.tar", "train/001.tar");
            s3.deleteObject(request -> request.bucket(BUCKET).key("new"));
            assertThat(send(gcs, "GET", media("new"), "").statusCode()).isEqualTo(404);
            assertThatThrownBy(
                            () -> s3.getObject(request -> request.bucket(BUCKET).key("new")))
                    .isInstanceOf(NoSuchKeyException.class);
            cluster.run("bucket", "rm", BUCKET, "--force");
        }
    }

    /// The same commands as before an S3 bucket, with GCS's versions of objects.
    @Test
    void aGcsBucketIsPrefetchedRefreshedAndEvicted(@TempDir Path folder) throws Exception {
        var bucket = "gcs-jobs";
        try (var gcs = PeerServer.fakeGcs(folder);
                var s3 = cluster.endpoint().client()) {
            send(gcs, "POST", "/storage/v1/b?project=test", "{\"name\":\"" + bucket + "\"}");
            for (int i = 0; i < 12; i++) {
                upload(gcs, bucket, "train/%02d".formatted(i), Content.of("old" + i, 100_000));
            }
            cluster.run(
                    "bucket",
                    "create",
                    bucket,
                    "--backend",
                    "gs://" + bucket,
                    "--backend-endpoint",
                    gcs.url().toString(),
                    "--profile",
                    "anonymous");
            assertThat(cluster.run("prefetch", bucket + "/train/", "--wait").outText())
                    .contains("done: 12 fetched", "0 failed");
            assertThat(cluster.run("prefetch", bucket, "--template", "train/{00..11}", "--wait")
                            .outText())
                    .contains("0 fetched", "12 cached already");
            assertThat(cluster.run("ls", "--cached", "-r", bucket).outText().lines())
                    .hasSize(12);

            upload(gcs, bucket, "train/03", Content.of("new", 100_000));
            assertThat(cluster.run("refresh", bucket + "/train/", "--wait").outText())
                    .contains("done: 1 changed in the cloud", "11 unchanged", "0 failed");
            assertThat(s3.getObjectAsBytes(request -> request.bucket(bucket).key("train/03"))
                            .asByteArray())
                    .isEqualTo(Content.of("new", 100_000));

            assertThat(cluster.run("evict", bucket, "--yes", "--wait").outText())
                    .contains("done: 12 evicted", "0 failed");
            assertThat(cluster.run("ls", "--cached", "-r", bucket).outText()).isEmpty();
            cluster.run("bucket", "rm", bucket, "--force");
        }
    }

    private void upload(PeerServer gcs, String bucket, String key, byte[] body)
            throws IOException, InterruptedException {
        var url = gcs.url() + "/upload/storage/v1/b/" + bucket + "/o?uploadType=media&name=" + encoded(key);
        var request = HttpRequest.newBuilder(URI.create(url)).POST(BodyPublishers.ofByteArray(body));
        assertThat(http.send(request.build(), BodyHandlers.discarding()).statusCode())
                .isEqualTo(200);
    }

    private static String media(String key) {
        return "/storage/v1/b/" + BUCKET + "/o/" + encoded(key) + "?alt=media";
    }

    private HttpResponse<String> send(PeerServer gcs, String method, String path, String body)
            throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(gcs.url() + path))
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        return http.send(request.build(), BodyHandlers.ofString());
    }

    private static String encoded(String key) {
        return URLEncoder.encode(key, StandardCharsets.UTF_8);
    }
}
