package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.backend.peers.PeerServer;
import dev.sluice.backend.peers.RequiresPeer;
import dev.sluice.common.http.HttpDate;
import dev.sluice.deploy.harness.Endpoint;
import dev.sluice.deploy.harness.Eventually;
import dev.sluice.deploy.harness.Forwarder;
import dev.sluice.deploy.harness.SluiceCluster;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/// A bucket before a cloud bucket: MinIO is the cloud, and between it and the cluster a network that is watched
/// and broken.
@RequiresPeer("minio")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ColdFillTests {
    private static final String PROFILE = "tests-cloud";
    private static final Duration SOON = Duration.ofSeconds(30);

    private final SluiceCluster cluster;
    private final String bucket = "cloud-" + UUID.randomUUID().toString().substring(0, 8);
    private PeerServer minio;
    private Forwarder network;
    private S3Client cloud;
    private S3Client s3;

    ColdFillTests(SluiceCluster cluster) {
        this.cluster = cluster;
    }

    @BeforeAll
    void tieABucketToTheCloud(@TempDir Path folder) {
        minio = PeerServer.minio(folder);
        network = new Forwarder(minio.url());
        cloud = new Endpoint(minio.url(), PeerServer.MINIO_USER, PeerServer.MINIO_PASSWORD).client();
        s3 = cluster.endpoint().client();
        cloud.createBucket(request -> request.bucket(bucket));
        cluster.run(
                "bucket",
                "create",
                bucket,
                "--backend",
                "s3://" + bucket,
                "--backend-endpoint",
                network.url().toString(),
                "--profile",
                PROFILE);
    }

    @AfterAll
    void endTheCloud() {
        s3.close();
        cloud.close();
        network.close();
        minio.close();
    }

    private byte[] inTheCloud(String key, int size) {
        var body = Content.of(key, size);
        cloud.putObject(request -> request.bucket(bucket).key(key), RequestBody.fromBytes(body));
        return body;
    }

    private byte[] get(String key) {
        return s3.getObjectAsBytes(request -> request.bucket(bucket).key(key)).asByteArray();
    }

    private void assertSame(byte[] actual, byte[] expected, String what) {
        assertThat(Content.digest(actual)).as(what).isEqualTo(Content.digest(expected));
    }

    @Test
    void theFirstReadIsTheCloudsTheSecondIsOurs() {
        for (int size : List.of(0, 1, 1000, Content.MIB, 20 * Content.MIB + 3)) {
            var key = "cold/" + size;
            var body = inTheCloud(key, size);
            assertSame(get(key), body, "cold " + key);
            Eventually.holds(
                    SOON,
                    () -> { // the last byte may reach the reader before the file has its name
                        int before = network.requests().size();
                        assertSame(get(key), body, "warm " + key);
                        assertThat(network.requests())
                                .as("requests of a warm read")
                                .hasSize(before);
                    });
            var head = s3.headObject(request -> request.bucket(bucket).key(key));
            assertThat(head.contentLength()).isEqualTo(size);
            assertThat(head.eTag()).isEqualTo("\"" + Content.md5(body) + "\"");
        }
    }

    @Test
    void theCloudsMetadataComesWithTheObject() {
        cloud.putObject(
                request -> request.bucket(bucket)
                        .key("with metadata")
                        .contentType("image/jpeg")
                        .cacheControl("max-age=9")
                        .metadata(Map.of("label", "7", "word", "=?UTF-8?B?Y2Fmw6k=?=")),
                RequestBody.fromString("x"));
        var there = cloud.headObject(request -> request.bucket(bucket).key("with metadata"));
        for (int turn = 0; turn < 2; turn++) {
            assertThatThrownBy(() -> s3.getObjectAsBytes(request ->
                            request.bucket(bucket).key("with metadata").ifNoneMatch(there.eTag())))
                    .isInstanceOfSatisfying(S3Exception.class, same -> {
                        assertThat(same.statusCode()).isEqualTo(304);
                        var answer = same.awsErrorDetails().sdkHttpResponse();
                        assertThat(answer.firstMatchingHeader("Last-Modified"))
                                .contains(HttpDate.format(there.lastModified()));
                        assertThat(answer.firstMatchingHeader("Cache-Control")).contains("max-age=9");
                    });
            var got = s3.getObjectAsBytes(request -> request.bucket(bucket).key("with metadata"))
                    .response();
            assertThat(got.contentType()).isEqualTo("image/jpeg");
            assertThat(got.metadata()).isEqualTo(there.metadata()).containsEntry("label", "7");
        }
    }

    @Test
    void manyReadersOneFetch() throws Exception {
        for (int size : List.of(3 * Content.MIB, 40 * Content.MIB)) {
            var key = "crowd/" + size;
            var body = inTheCloud(key, size);
            long before = network.answeredBytes();
            assertThat(readAtOnce(32, () -> digestOf(key))).hasSize(32).containsOnly(Content.digest(body));
            var fetches = network.requestsOf("GET", key);
            assertThat(network.answeredBytes() - before)
                    .as("bytes from the cloud, by " + fetches)
                    .isBetween((long) size, size + 64L * 1024);
            if (size < 8 * Content.MIB) {
                assertThat(fetches).hasSize(1);
            }
        }
    }

    /// Without keeping what is read: many readers of large objects would be more than a heap.
    private String digestOf(String key) throws IOException {
        var sha = Content.sha256();
        try (var stream = new DigestInputStream(
                s3.getObject(request -> request.bucket(bucket).key(key)), sha)) {
            stream.transferTo(OutputStream.nullOutputStream());
        }
        return HexFormat.of().formatHex(sha.digest());
    }

    private static List<String> readAtOnce(int readers, Callable<String> read) throws Exception {
        var start = new CountDownLatch(1);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var running = new ArrayList<Future<String>>();
            for (int i = 0; i < readers; i++) {
                running.add(threads.submit(() -> {
                    start.await();
                    return read.call();
                }));
            }
            start.countDown();
            var all = new ArrayList<String>();
            for (var one : running) {
                all.add(one.get());
            }
            return all;
        }
    }

    @Test
    void aRangeIsServedFirstAndTheWholeFollows() {
        var body = inTheCloud("ranged", 24 * Content.MIB);
        var range = s3.getObjectAsBytes(
                request -> request.bucket(bucket).key("ranged").range("bytes=20000000-20000999"));
        assertThat(range.asByteArray()).isEqualTo(Arrays.copyOfRange(body, 20000000, 20001000));
        assertThat(range.response().contentRange()).isEqualTo("bytes 20000000-20000999/" + body.length);
        Eventually.holds(
                SOON,
                () -> assertThat(cluster.objectFiles(bucket))
                        .anyMatch(
                                file -> file.endsWith("ranged") && file.toFile().length() == body.length));
        int before = network.requestsOf("GET", "ranged").size();
        assertSame(get("ranged"), body, "the whole");
        assertThat(network.requestsOf("GET", "ranged")).hasSize(before);
        assertThatThrownBy(() -> s3.getObjectAsBytes(
                        request -> request.bucket(bucket).key("ranged").range("bytes=30000000-")))
                .isInstanceOfSatisfying(
                        S3Exception.class, e -> assertThat(e.statusCode()).isEqualTo(416));
    }

    @Test
    void aBrokenStreamIsAnErrorAndLeavesNothing() {
        var others = Set.copyOf(Eventually.within(SOON, cluster::workFiles));
        for (int size : List.of(5 * Content.MIB, 40 * Content.MIB)) {
            var key = "broken-" + size;
            var body = inTheCloud(key, size);
            network.breakAnswers(key, size / 8);
            assertThatThrownBy(() -> drain(key)).isInstanceOfAny(Exception.class);
            assertNothingOf(key, others);
            network.repair();
            assertSame(get(key), body, "after the repair");
        }
    }

    /// Reads all, as a program would that trusts only the end of the stream.
    private void drain(String key) throws IOException {
        try (var stream = s3.getObject(request -> request.bucket(bucket).key(key))) {
            stream.transferTo(OutputStream.nullOutputStream());
        }
    }

    /// @param others of the tests before: a replica keeps for a minute what a refused write brought it
    private void assertNothingOf(String key, Set<Path> others) {
        Eventually.holds(SOON, () -> {
            assertThat(cluster.workFiles()).as("work files").isSubsetOf(others);
            assertThat(cluster.objectFiles(bucket)).noneMatch(file -> file.endsWith(key));
        });
    }

    @Test
    void aCloudThatCannotBeReachedIsNoMissingKey() {
        var body = inTheCloud("unreachable", 1000);
        var warm = inTheCloud("reached before", 1000);
        get("reached before");
        network.cut();
        try {
            assertThatThrownBy(() -> get("unreachable"))
                    .isInstanceOfSatisfying(
                            S3Exception.class, e -> assertThat(e.statusCode()).isEqualTo(503));
            assertThatThrownBy(() -> s3.putObject(
                            request -> request.bucket(bucket).key("not acknowledged"), RequestBody.fromString("x")))
                    .isInstanceOfSatisfying(
                            S3Exception.class, e -> assertThat(e.statusCode()).isEqualTo(503));
            assertSame(get("reached before"), warm, "warm without the cloud");
        } finally {
            network.repair();
        }
        assertSame(get("unreachable"), body, "after the repair");
        assertThatThrownBy(() -> get("not acknowledged")).isInstanceOf(NoSuchKeyException.class);
    }

    @Test
    void writesAndDeletesReachTheCloudBeforeTheAnswer() {
        var body = Content.of("written", 3 * Content.MIB);
        var put = s3.putObject(
                request -> request.bucket(bucket).key("written").metadata(Map.of("label", "9")),
                RequestBody.fromBytes(body));
        var there = cloud.getObjectAsBytes(request -> request.bucket(bucket).key("written"));
        assertSame(there.asByteArray(), body, "in the cloud");
        assertThat(there.response().metadata()).containsEntry("label", "9");
        assertThat(there.response().eTag()).isEqualTo(put.eTag());
        int before = network.requestsOf("GET", "written").size();
        assertSame(get("written"), body, "here");
        assertThat(network.requestsOf("GET", "written")).hasSize(before);
        s3.deleteObject(request -> request.bucket(bucket).key("written"));
        assertThatThrownBy(
                        () -> cloud.headObject(request -> request.bucket(bucket).key("written")))
                .isInstanceOf(NoSuchKeyException.class);
        assertThatThrownBy(() -> get("written")).isInstanceOf(NoSuchKeyException.class);

        inTheCloud("never here", 100);
        s3.deleteObject(request -> request.bucket(bucket).key("never here"));
        assertThatThrownBy(
                        () -> cloud.headObject(request -> request.bucket(bucket).key("never here")))
                .isInstanceOf(NoSuchKeyException.class);
        assertThatThrownBy(() -> get("nowhere")).isInstanceOf(NoSuchKeyException.class);
    }

    @Test
    void anUploadInPartsReachesTheCloud() {
        var body = Content.of("in parts", 11 * Content.MIB);
        var upload = s3.createMultipartUpload(request -> request.bucket(bucket).key("in parts"))
                .uploadId();
        var parts = new ArrayList<CompletedPart>();
        for (int number = 1, size = 6 * Content.MIB; number <= 2; number++) {
            int part = number;
            var bytes = Arrays.copyOfRange(body, (part - 1) * size, Math.min(body.length, part * size));
            var sent = s3.uploadPart(
                    request -> request.bucket(bucket)
                            .key("in parts")
                            .uploadId(upload)
                            .partNumber(part),
                    RequestBody.fromBytes(bytes));
            parts.add(CompletedPart.builder().partNumber(part).eTag(sent.eTag()).build());
        }
        s3.completeMultipartUpload(request ->
                request.bucket(bucket).key("in parts").uploadId(upload).multipartUpload(all -> all.parts(parts)));
        assertSame(
                cloud.getObjectAsBytes(request -> request.bucket(bucket).key("in parts"))
                        .asByteArray(),
                body,
                "in the cloud");
        assertSame(get("in parts"), body, "here");
    }

    @Test
    void listingMergesWhatIsOnlyInTheCloud() {
        var keys = List.of("list/a", "list/b/1", "list/b/2", "list/c", "list/d/1", "list/e");
        keys.forEach(key -> inTheCloud(key, 10));
        get("list/b/1");
        get("list/e");
        s3.putObject(request -> request.bucket(bucket).key("list/f"), RequestBody.fromString("0123456789"));
        var expected = new ArrayList<>(keys);
        expected.add("list/f");
        for (int page : List.of(1, 2, 1000)) {
            var got = s3
                    .listObjectsV2Paginator(
                            request -> request.bucket(bucket).prefix("list/").maxKeys(page))
                    .contents()
                    .stream()
                    .toList();
            assertThat(got).extracting(S3Object::key).isEqualTo(expected);
            assertThat(got).extracting(S3Object::size).containsOnly(10L);
        }
        var level = s3.listObjectsV2(
                request -> request.bucket(bucket).prefix("list/").delimiter("/"));
        assertThat(level.contents()).extracting(S3Object::key).containsExactly("list/a", "list/c", "list/e", "list/f");
        assertThat(level.commonPrefixes()).extracting(found -> found.prefix()).containsExactly("list/b/", "list/d/");
    }
}
