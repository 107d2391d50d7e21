package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.backend.peers.PeerServer;
import dev.sluice.backend.peers.RequiresPeer;
import dev.sluice.deploy.harness.Endpoint;
import dev.sluice.deploy.harness.Eventually;
import dev.sluice.deploy.harness.SluiceCluster;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.ServerSideEncryption;

/// `x-amz-server-side-encryption: AES256` through a proxy in a process of its own: to drives of which the operator says
/// that they are encrypted, and into a cloud that encrypts.
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class EncryptionTest {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final ServerSideEncryption AES256 = ServerSideEncryption.AES256;
    private static final String BUCKET = "encrypted";
    private static final String CACHED = "cached";
    private static final byte[] SHARD = Content.of("shard", 100_000);

    @TempDir
    private Path folder;

    @Test
    @RequiresPeer("minio")
    void encryptedDrivesAreToldOfAndCloudsAreAsked() throws Exception {
        try (var minio = PeerServer.minioWithKey(folder.resolve("minio"));
                var cloud = new Endpoint(minio.url(), PeerServer.MINIO_USER, PeerServer.MINIO_PASSWORD).client();
                var cluster = cluster(minio);
                var s3 = cluster.endpoint().client()) {
            cluster.run("bucket", "create", BUCKET);
            Eventually.holds(SOON, () -> put(s3, BUCKET, "a"));
            requireToldOnce(cluster.endpoint());
            requireConfiguration(s3);
            cloud.createBucket(request -> request.bucket("behind"));
            cluster.run("bucket", "create", CACHED, "--backend", "s3://behind", "--via", "lab");
            Eventually.holds(SOON, () -> put(s3, CACHED, "a"));
            uploadInParts(s3);
            for (var key : new String[] {"a", "parts"}) {
                assertThat(cloud.headObject(request -> request.bucket("behind").key(key))
                                .serverSideEncryption())
                        .isEqualTo(AES256);
            }
        }
    }

    private SluiceCluster cluster(PeerServer minio) throws IOException {
        var settings = Files.writeString(folder.resolve("mine.toml"), """
                [cluster]
                proxies = 1
                targets = 1
                drives = 1
                [storage]
                encrypted = true
                [backends.lab]
                type = "s3"
                endpoint = "%s"
                access_key = "%s"
                secret_key = "%s"
                """.formatted(
                        minio.url(), PeerServer.MINIO_USER, PeerServer.MINIO_PASSWORD));
        return SluiceCluster.start(folder.resolve("cluster"), Map.of(), "--separate", "--config", settings.toString());
    }

    private static void put(S3Client s3, String bucket, String key) {
        var put = s3.putObject(
                request -> request.bucket(bucket).key(key).serverSideEncryption(AES256), RequestBody.fromBytes(SHARD));
        assertThat(put.serverSideEncryption()).isEqualTo(AES256);
    }

    private static void requireToldOnce(Endpoint endpoint) throws Exception {
        try (var presigner = endpoint.presigner();
                var http = HttpClient.newHttpClient()) {
            var url = presigner
                    .presignGetObject(request -> request.signatureDuration(Duration.ofMinutes(5))
                            .getObjectRequest(get -> get.bucket(BUCKET).key("a")))
                    .url()
                    .toURI();
            var got = http.send(HttpRequest.newBuilder(url).build(), HttpResponse.BodyHandlers.ofByteArray());
            assertThat(got.body()).isEqualTo(SHARD);
            assertThat(got.headers().allValues("x-amz-server-side-encryption")).containsExactly("AES256");
        }
    }

    private static void requireConfiguration(S3Client s3) {
        var configuration =
                s3.getBucketEncryption(request -> request.bucket(BUCKET)).serverSideEncryptionConfiguration();
        assertThat(configuration.rules()).singleElement().satisfies(rule -> {
            assertThat(rule.applyServerSideEncryptionByDefault().sseAlgorithm()).isEqualTo(AES256);
            assertThat(rule.bucketKeyEnabled()).isFalse();
        });
        assertThatThrownBy(() -> s3.putBucketEncryption(
                        request -> request.bucket(BUCKET).serverSideEncryptionConfiguration(configuration)))
                .isInstanceOfSatisfying(
                        S3Exception.class,
                        refused -> assertThat(refused.statusCode()).isEqualTo(501));
    }

    private static void uploadInParts(S3Client s3) {
        var id = s3.createMultipartUpload(
                        request -> request.bucket(CACHED).key("parts").serverSideEncryption(AES256))
                .uploadId();
        var part = s3.uploadPart(
                request -> request.bucket(CACHED).key("parts").uploadId(id).partNumber(1),
                RequestBody.fromBytes(SHARD));
        s3.completeMultipartUpload(request -> request.bucket(CACHED)
                .key("parts")
                .uploadId(id)
                .multipartUpload(upload -> upload.parts(CompletedPart.builder()
                        .partNumber(1)
                        .eTag(part.eTag())
                        .checksumCRC32(part.checksumCRC32())
                        .build())));
    }
}
