package dev.sluice.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.backend.access.BackendConnection;
import dev.sluice.backend.access.BackendCredentials;
import dev.sluice.backend.access.Reach;
import dev.sluice.backend.clouds.Backends;
import dev.sluice.backend.peers.PeerServer;
import dev.sluice.backend.peers.RequiresPeer;
import dev.sluice.common.store.StoreException;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

@RequiresPeer("minio")
class S3OnMinioTest extends BackendContract {
    private static final AtomicInteger BUCKETS = new AtomicInteger();

    @TempDir
    static Path folder;

    private PeerServer minio;

    @BeforeAll
    void start() {
        minio = PeerServer.minio(folder);
    }

    @AfterAll
    void stop() {
        if (minio != null) {
            minio.close();
        }
    }

    @Override
    Backend openEmpty(MeterRegistry registry) {
        return Backends.open(newBucket(minio), SETTINGS, registry);
    }

    @Override
    Backend openMissing() {
        return Backends.open(connection("not-there", minio), SETTINGS, new SimpleMeterRegistry());
    }

    private static BackendConnection newBucket(PeerServer server) {
        var name = "bucket-" + BUCKETS.incrementAndGet();
        try (var client = client(server)) {
            client.createBucket(request -> request.bucket(name));
        }
        return connection(name, server);
    }

    private static S3Client client(PeerServer server) {
        var credentials = AwsBasicCredentials.create(PeerServer.MINIO_USER, PeerServer.MINIO_PASSWORD);
        return S3Client.builder()
                .httpClientBuilder(Apache5HttpClient.builder())
                .endpointOverride(server.url())
                .forcePathStyle(true)
                .region(Region.US_EAST_1)
                .credentialsProvider(StaticCredentialsProvider.create(credentials))
                .build();
    }

    private static BackendConnection connection(String bucket, PeerServer server) {
        var keys = new BackendCredentials.Keys(PeerServer.MINIO_USER, PeerServer.MINIO_PASSWORD);
        return new BackendConnection(BackendAddress.parse("s3://" + bucket).endpoint(server.url()), keys, Reach.NAMED);
    }

    @Test
    void anAddressPrefixIsPutBeforeEveryKey() throws IOException {
        var connection = newBucket(minio);
        var address = connection.address();
        var below = new BackendConnection(
                new BackendAddress(address.provider(), address.bucket(), "sets/", address.endpoint(), address.region()),
                connection.credentials(),
                connection.reach());
        try (var whole = Backends.open(connection, SETTINGS, new SimpleMeterRegistry());
                var part = Backends.open(below, SETTINGS, new SimpleMeterRegistry())) {
            part.put("a/b", 1, Bytes.source(utf8("x")), Bytes.PLAIN, WriteCondition.NONE);
            assertThat(whole.head("sets/a/b").size()).isEqualTo(1);
            assertThat(part.list("", "/", "", 10).commonPrefixes()).containsExactly("a/");
            assertThat(part.list("a/", "", "a/a", 10).entries())
                    .extracting(BackendPage.Entry::key)
                    .containsExactly("a/b");
        }
    }

    @Test
    void beyondTheThresholdAnObjectGoesInPartsAndCannotClaimAnMd5() throws IOException {
        var settings = settings(6 << 20, 5 << 20);
        long length = 12_345_678;
        try (var parts = Backends.open(newBucket(minio), settings, new SimpleMeterRegistry())) {
            var put = parts.put("large", length, Bytes.generated(length), Bytes.PLAIN, WriteCondition.NONE);
            var head = parts.head("large");
            assertThat(put.etag()).endsWith("-3").isEqualTo(head.etag());
            assertThat(head.size()).isEqualTo(length);
            assertThat(head.md5()).isEmpty();
            long at = 0;
            try (var stream = parts.get("large", BackendRead.WHOLE)) {
                for (var bytes = stream.body().next();
                        bytes.hasRemaining();
                        bytes = stream.body().next()) {
                    Bytes.check(bytes, at);
                    at += bytes.remaining();
                }
            }
            assertThat(at).isEqualTo(length);
            assertThatThrownBy(() ->
                            parts.put("half", length, Bytes.breakingAfter(7 << 20), Bytes.PLAIN, WriteCondition.NONE))
                    .isInstanceOf(StoreException.IncompleteBody.class);
            assertThat(parts.list("", "", "", 10).entries()).hasSize(1);
        }
    }

    @Test
    void whatIsEncryptedIsReadAsItWasWritten(@TempDir Path own) throws IOException {
        try (var server = PeerServer.minioWithKey(own);
                var client = client(server);
                var cloud = Backends.open(newBucket(server), settings(6 << 20, 5 << 20), new SimpleMeterRegistry())) {
            for (int length : new int[] {1000, 7_000_000}) { // in one, and in parts, where a cloud may not confirm it
                var put = cloud.put("a", length, Bytes.generated(length), Bytes.ENCRYPTED, WriteCondition.NONE);
                assertThat(put.encryption())
                        .isIn(Optional.of("AES256"), length == 1000 ? Optional.of("AES256") : Optional.empty());
                assertThat(cloud.head("a").etag()).isEqualTo(put.etag());
                var there = client.headObject(
                        request -> request.bucket(cloud.address().bucket()).key("a"));
                assertThat(there.serverSideEncryptionAsString()).isEqualTo("AES256");
                try (var stream = cloud.get("a", BackendRead.WHOLE)) {
                    assertThat(stream.object().headers()).doesNotContainKey("x-amz-server-side-encryption");
                    assertThat(Bytes.all(stream.body())).isEqualTo(Bytes.all(Bytes.generated(length)));
                }
            }
            assertThat(cloud.put("a", 10, Bytes.generated(10), Bytes.PLAIN, WriteCondition.NONE)
                            .encryption())
                    .isEmpty();
        }
    }

    @Test
    void aCloudThatCannotEncryptRefusesTheWrite() throws IOException {
        try (var cloud = Backends.open(newBucket(minio), SETTINGS, new SimpleMeterRegistry())) {
            assertThatThrownBy(() -> cloud.put("a", 10, Bytes.generated(10), Bytes.ENCRYPTED, WriteCondition.NONE))
                    .isInstanceOf(StoreException.InvalidArgument.class);
            assertThatThrownBy(() -> cloud.head("a")).isInstanceOf(StoreException.NoSuchKey.class);
        }
    }

    @Test
    void wrongCredentialsAreDenied() throws IOException {
        var anonymous =
                new BackendConnection(newBucket(minio).address(), new BackendCredentials.Anonymous(), Reach.NAMED);
        try (var stranger = Backends.open(anonymous, SETTINGS, new SimpleMeterRegistry())) {
            assertThatThrownBy(() -> stranger.get("a", BackendRead.WHOLE))
                    .isInstanceOf(StoreException.BackendDenied.class);
            assertThat(stranger.identity()).isEqualTo("no credentials (anonymous)");
        }
    }

    @Test
    void aKilledServerIsAnErrorAtTheReaderAndThenUnavailable(@TempDir Path own) throws IOException {
        try (var server = PeerServer.minio(own);
                var doomed = Backends.open(newBucket(server), SETTINGS, new SimpleMeterRegistry())) {
            long length = 24 << 20;
            doomed.put("large", length, Bytes.generated(length), Bytes.PLAIN, WriteCondition.NONE);
            try (var stream = doomed.get("large", BackendRead.WHOLE)) {
                assertThat(stream.body().next().hasRemaining()).isTrue();
                server.kill();
                assertThatThrownBy(() -> Bytes.discard(stream.body())).isInstanceOf(IOException.class);
            }
            assertThatThrownBy(() -> doomed.head("large")).isInstanceOf(StoreException.BackendUnavailable.class);
        }
    }
}
