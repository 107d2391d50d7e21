package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.backend.peers.PeerServer;
import dev.sluice.backend.peers.RequiresPeer;
import dev.sluice.deploy.harness.Endpoint;
import dev.sluice.deploy.harness.Eventually;
import dev.sluice.deploy.harness.SluiceCluster;
import java.io.IOException;
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
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.ServerSideEncryption;

/// `x-amz-server-side-encryption: AES256` where the operator says that the drives are encrypted: nodes in processes of
/// their own, a bucket with two replicas, and one whose cloud encrypts.
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
            cluster.run("bucket", "create", BUCKET, "--replicas", "2");
            Eventually.holds(SOON, () -> put(s3, BUCKET, "a"));
            requireObjects(s3);
            requireObjectInParts(s3);
            requireConfiguration(s3);
            cloud.createBucket(request -> request.bucket("behind"));
            cluster.run("bucket", "create", CACHED, "--backend", "s3://behind", "--via", "lab");
            Eventually.holds(SOON, () -> put(s3, CACHED, "a"));
            requireEncryptedInCloud(s3, cloud);
        }
    }

    private SluiceCluster cluster(PeerServer minio) throws IOException {
        var settings = Files.writeString(folder.resolve("mine.toml"), """
                [cluster]
                proxies = 1
                targets = 3
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
        s3.putObject(request -> request.bucket(bucket).key(key), RequestBody.fromBytes(SHARD));
    }

    private static PutObjectRequest.Builder encrypted(PutObjectRequest.Builder request, String bucket, String key) {
        return request.bucket(bucket).key(key).serverSideEncryption(AES256);
    }

    private static void requireObjects(S3Client s3) {
        for (var key : new String[] {"a", "b", "c", "d"}) { // on different targets
            var put = s3.putObject(request -> encrypted(request, BUCKET, key), RequestBody.fromBytes(SHARD));
            assertThat(put.serverSideEncryption()).isEqualTo(AES256);
            for (int i = 0; i < 2; i++) {
                var got = s3.getObjectAsBytes(
                        request -> request.bucket(BUCKET).key(key).range("bytes=10-19"));
                assertThat(got.response().serverSideEncryption()).isEqualTo(AES256);
                assertThat(got.asByteArray()).hasSize(10);
            }
            assertThat(s3.headObject(request -> request.bucket(BUCKET).key(key)).serverSideEncryption())
                    .isEqualTo(AES256);
        }
        var copy = s3.copyObject(request -> request.sourceBucket(BUCKET)
                .sourceKey("a")
                .destinationBucket(BUCKET)
                .destinationKey("copy")
                .serverSideEncryption(AES256));
        assertThat(copy.serverSideEncryption()).isEqualTo(AES256);
        assertThat(s3.getObjectAsBytes(request -> request.bucket(BUCKET).key("copy"))
                        .asByteArray())
                .isEqualTo(SHARD);
        assertThatThrownBy(() -> s3.putObject(
                        request -> request.bucket(BUCKET).key("kms").serverSideEncryption(ServerSideEncryption.AWS_KMS),
                        RequestBody.empty()))
                .isInstanceOfSatisfying(
                        S3Exception.class,
                        refused -> assertThat(refused.statusCode()).isEqualTo(501))
                .hasMessageContaining("KMS is not used");
    }

    private static void requireObjectInParts(S3Client s3) {
        var begun = s3.createMultipartUpload(
                request -> request.bucket(BUCKET).key("parts").serverSideEncryption(AES256));
        assertThat(begun.serverSideEncryption()).isEqualTo(AES256);
        var part = s3.uploadPart(
                request -> request.bucket(BUCKET)
                        .key("parts")
                        .uploadId(begun.uploadId())
                        .partNumber(1),
                RequestBody.fromBytes(SHARD));
        assertThat(part.serverSideEncryption()).isEqualTo(AES256);
        var done = s3.completeMultipartUpload(request -> request.bucket(BUCKET)
                .key("parts")
                .uploadId(begun.uploadId())
                .multipartUpload(upload -> upload.parts(CompletedPart.builder()
                        .partNumber(1)
                        .eTag(part.eTag())
                        .checksumCRC32(part.checksumCRC32())
                        .build())));
        assertThat(done.serverSideEncryption()).isEqualTo(AES256);
    }

    private static void requireConfiguration(S3Client s3) {
        var configuration =
                s3.getBucketEncryption(request -> request.bucket(BUCKET)).serverSideEncryptionConfiguration();
        assertThat(configuration.rules()).singleElement().satisfies(rule -> {
            assertThat(rule.applyServerSideEncryptionByDefault().sseAlgorithm()).isEqualTo(AES256);
            assertThat(rule.bucketKeyEnabled()).isFalse();
        });
        s3.putBucketEncryption(request -> request.bucket(BUCKET).serverSideEncryptionConfiguration(configuration));
    }

    private static void requireEncryptedInCloud(S3Client s3, S3Client cloud) {
        var put = s3.putObject(request -> encrypted(request, CACHED, "b"), RequestBody.fromBytes(SHARD));
        assertThat(put.serverSideEncryption()).isEqualTo(AES256);
        assertThat(inCloud(cloud, "b")).isEqualTo(AES256);
        assertThat(inCloud(cloud, "a")).isNull();
        assertThat(s3.getObjectAsBytes(request -> request.bucket(CACHED).key("b"))
                        .asByteArray())
                .isEqualTo(SHARD);
        var copy = s3.copyObject(request -> request.sourceBucket(BUCKET)
                .sourceKey("a")
                .destinationBucket(CACHED)
                .destinationKey("copy")
                .serverSideEncryption(AES256));
        assertThat(copy.serverSideEncryption()).isEqualTo(AES256);
        assertThat(inCloud(cloud, "copy")).isEqualTo(AES256);
        var begun = s3.createMultipartUpload(
                request -> request.bucket(CACHED).key("parts").serverSideEncryption(AES256));
        var part = s3.uploadPart(
                request -> request.bucket(CACHED)
                        .key("parts")
                        .uploadId(begun.uploadId())
                        .partNumber(1),
                RequestBody.fromBytes(SHARD));
        s3.completeMultipartUpload(request -> request.bucket(CACHED)
                .key("parts")
                .uploadId(begun.uploadId())
                .multipartUpload(upload -> upload.parts(CompletedPart.builder()
                        .partNumber(1)
                        .eTag(part.eTag())
                        .checksumCRC32(part.checksumCRC32())
                        .build())));
        assertThat(inCloud(cloud, "parts")).isEqualTo(AES256);
        assertThat(s3.getObjectAsBytes(request -> request.bucket(CACHED).key("parts"))
                        .asByteArray())
                .isEqualTo(SHARD);
        assertThatThrownBy(() -> s3.getBucketEncryption(request -> request.bucket(CACHED)))
                .isInstanceOfSatisfying(
                        S3Exception.class, none -> assertThat(none.statusCode()).isEqualTo(404));
    }

    private static ServerSideEncryption inCloud(S3Client cloud, String key) {
        return cloud.headObject(request -> request.bucket("behind").key(key)).serverSideEncryption();
    }
}
