package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.backend.peers.PeerServer;
import dev.sluice.backend.peers.RequiresPeer;
import dev.sluice.deploy.harness.Endpoint;
import dev.sluice.deploy.harness.Eventually;
import dev.sluice.deploy.harness.Forwarder;
import dev.sluice.deploy.harness.SluiceCluster;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
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

/// Which clouds a cluster's buckets may reach, as its settings say, and what the operator hears of the others.
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class BackendsTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final String BUCKET = "cloud-bucket";

    @TempDir
    private Path folder;

    /// The settings of a cluster that listens on loopback.
    private Path settings(String backends) throws IOException {
        return Files.writeString(folder.resolve("settings.toml"), """
                [cluster]
                targets = 2
                drives = 1
                """ + backends);
    }

    private SluiceCluster cluster(Path settings) throws IOException {
        var keys = Files.writeString(
                folder.resolve("credentials"),
                "[lab]%naws_access_key_id = %s%naws_secret_access_key = %s%n"
                        .formatted(PeerServer.MINIO_USER, PeerServer.MINIO_PASSWORD));
        return SluiceCluster.start(
                folder.resolve("cluster"),
                Map.of("AWS_SHARED_CREDENTIALS_FILE", keys.toString(), "AWS_CONFIG_FILE", "/dev/null"),
                "--config",
                settings.toString());
    }

    private static S3Client cloud(PeerServer minio) {
        var client = new Endpoint(minio.url(), PeerServer.MINIO_USER, PeerServer.MINIO_PASSWORD).client();
        client.createBucket(request -> request.bucket(BUCKET));
        client.putObject(request -> request.bucket(BUCKET).key("warm"), RequestBody.fromString("warm"));
        client.putObject(request -> request.bucket(BUCKET).key("cold"), RequestBody.fromString("cold"));
        return client;
    }

    private static String get(S3Client s3, String bucket, String key) {
        return s3.getObjectAsBytes(request -> request.bucket(bucket).key(key)).asUtf8String();
    }

    /// What a `bucket create` says that is refused.
    private static String refused(SluiceCluster cluster, boolean checked, String... backend) {
        var command = new ArrayList<>(List.of("bucket", "create", "refused"));
        command.addAll(List.of(backend));
        if (!checked) {
            command.add("--no-check");
        }
        var finished = cluster.attempt(Map.of(), command.toArray(String[]::new));
        assertThat(finished.exit()).as(finished.outText()).isNotZero();
        return finished.err();
    }

    @Test
    @RequiresPeer({"minio", "fake-gcs-server"})
    void aBucketReachesTheCloudThatItNamesAndNoOther() throws Exception {
        try (var minio = PeerServer.minio(folder.resolve("minio"));
                var gcs = PeerServer.fakeGcs(folder.resolve("gcs"));
                var watched = new Forwarder(minio.url());
                var _ = cloud(minio);
                var cluster = cluster(settings("""
                        [backends]
                        allow = []
                        [backends.lab]
                        type = "s3"
                        endpoint = "%s"
                        access_key = "%s"
                        secret_key = "%s"
                        [backends.stranger]
                        type = "s3"
                        endpoint = "%s"
                        access_key = "AKSTRANGER"
                        secret_key = "not-the-secret"
                        [backends.sets]
                        type = "gs"
                        endpoint = "%s"
                        anonymous = true
                        """.formatted(
                        minio.url(), PeerServer.MINIO_USER, PeerServer.MINIO_PASSWORD, minio.url(), gcs.url())));
                var s3 = cluster.endpoint().client()) {
            var url = "s3://" + BUCKET;
            cluster.run("bucket", "create", "named", "--backend", url, "--via", "lab");
            assertThat(get(s3, "named", "cold")).isEqualTo("cold");
            assertThat(cluster.run("bucket", "show", "named").outText())
                    .contains("\"via\" : \"lab\"")
                    .doesNotContain("cannot use the cloud", "next: ");

            makeGcsBucket(gcs);
            cluster.run("bucket", "create", "sets", "--backend", "gs://sets", "--via", "sets");
            s3.putObject(request -> request.bucket("sets").key("a"), RequestBody.fromString("through"));
            assertThat(get(s3, "sets", "a")).isEqualTo("through");

            assertThat(refused(cluster, true, "--backend", url, "--via", "labs"))
                    .contains("no [backends.labs]", "lab, sets");
            assertThat(refused(cluster, true, "--backend", "gs://sets", "--via", "lab"))
                    .contains("type = \"s3\"");
            for (boolean checked : new boolean[] {true, false}) {
                var endpoint = watched.url().toString();
                assertThat(refused(
                                cluster, checked, "--backend", url, "--backend-endpoint", endpoint, "--profile", "lab"))
                        .contains("[backends.NAME]", "backends.allow", endpoint);
                assertThat(refused(cluster, checked, "--backend", url, "--profile", "lab"))
                        .contains("backends.allow", "https://s3.amazonaws.com");
                assertThat(refused(cluster, checked, "--backend", "gs://sets", "--profile", "/etc/passwd"))
                        .contains("credentials_file");
            }
            assertThat(watched.requests()).isEmpty();

            assertThat(refused(cluster, true, "--backend", url, "--via", "stranger"))
                    .contains("target001, target002: ", "403", "the access key AKSTRANGER")
                    .doesNotContain("not-the-secret");
            assertThat(refused(cluster, true, "--backend", "s3://not-there", "--via", "lab"))
                    .contains("s3://not-there");
            assertThat(cluster.run("bucket", "ls").outText()).doesNotContain("refused");
            cluster.run("bucket", "create", "unchecked", "--backend", url, "--via", "stranger", "--no-check");
            assertThat(cluster.run("bucket", "show", "unchecked").outText())
                    .contains("target001 cannot use the cloud: s3://", "403", "target002 cannot")
                    .contains("next: correct the credentials of [backends.stranger]");
            assertThatThrownBy(() -> get(s3, "unchecked", "cold"))
                    .isInstanceOfSatisfying(
                            S3Exception.class, e -> assertThat(e.statusCode()).isEqualTo(403));
        }
    }

    @Tag("long")
    @Test
    @RequiresPeer("minio")
    void aBucketWithAnEndpointOfItsOwnDependsOnWhatIsAllowed() throws Exception {
        try (var minio = PeerServer.minio(folder.resolve("minio"));
                var watched = new Forwarder(minio.url());
                var cloud = cloud(minio);
                var cluster = cluster(settings(""));
                var s3 = cluster.endpoint().client()) {
            var url = "s3://" + BUCKET;
            var endpoint = watched.url().toString();
            for (var metadata : new String[] {"http://169.254.169.254", "http://metadata.google.internal"}) {
                assertThat(refused(
                                cluster,
                                false,
                                "--backend",
                                url,
                                "--backend-endpoint",
                                metadata,
                                "--profile",
                                "anonymous"))
                        .contains("not a backend");
            }
            assertThat(refused(cluster, true, "--backend", url, "--backend-endpoint", endpoint))
                    .contains("has no credentials", "[backends.NAME]");
            assertThat(watched.requests()).isEmpty();
            cluster.run(
                    "bucket", "create", "old", "--backend", url, "--backend-endpoint", endpoint, "--profile", "lab");
            assertThat(get(s3, "old", "warm")).isEqualTo("warm");
            Eventually.holds(
                    SOON, () -> assertThat(cluster.objectFiles("old")).anyMatch(file -> file.endsWith("warm")));

            cluster.down();
            settings("[backends]\nallow = []\n");
            cluster.up();
            int before = watched.requests().size();
            assertThat(get(s3, "old", "warm")).isEqualTo("warm");
            assertThatThrownBy(() -> get(s3, "old", "cold")).isInstanceOfSatisfying(S3Exception.class, refusal -> {
                assertThat(refusal.statusCode()).isEqualTo(403);
                assertThat(refusal.getMessage())
                        .contains(endpoint, "[backends.NAME]", "add \"" + endpoint + "\" to backends.allow");
            });
            assertThatThrownBy(() ->
                            s3.putObject(request -> request.bucket("old").key("warm"), RequestBody.fromString("other")))
                    .isInstanceOf(S3Exception.class);
            assertThat(get(s3, "old", "warm")).isEqualTo("warm");
            assertThat(watched.requests()).hasSize(before);

            cluster.down();
            settings("[backends]\nallow = [\"%s\"]\n".formatted(endpoint));
            cluster.up();
            assertThat(get(s3, "old", "cold")).isEqualTo("cold");
            assertThat(cloud.listObjectsV2(request -> request.bucket(BUCKET)).contents())
                    .hasSize(2);
        }
    }

    private static void makeGcsBucket(PeerServer gcs) throws Exception {
        try (var http = HttpClient.newHttpClient()) {
            var request = HttpRequest.newBuilder(URI.create(gcs.url() + "/storage/v1/b?project=test"))
                    .POST(BodyPublishers.ofString("{\"name\":\"sets\"}"));
            assertThat(http.send(request.build(), BodyHandlers.discarding()).statusCode())
                    .isEqualTo(200);
        }
    }
}
