package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.deploy.harness.Eventually;
import dev.sluice.deploy.harness.SluiceCluster;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/// A bucket with two data slices and one of parity on three targets, which are the controllers too.
@Tag("alone")
@Timeout(value = 8, unit = TimeUnit.MINUTES)
final class CodedBucketTest {
    private static final String BUCKET = "coded";
    private static final int MIB = Content.MIB;
    private static final List<Integer> SIZES = List.of(0, 4_000, 300_000, MIB, 3 * MIB + 17, 8 * MIB);
    private static final Duration REPAIR = Duration.ofSeconds(90);
    private static final Duration READ = Duration.ofSeconds(10);
    private static final int KEYS = 64;
    private static final int STEPS = 15;
    private static final long SEED = 46;

    @TempDir
    private Path folder;

    /// One that leads the controllers, as a rule.
    @Test
    void objectsAreThereWhileATargetDiesAndAllStartAgain() throws Exception {
        killInTurn(List.of("target001"));
    }

    @Tag("long")
    @Test
    void objectsAreThereWhileEachTargetDiesInTurn() throws Exception {
        killInTurn(List.of("target001", "target002", "target003"));
    }

    private void killInTurn(List<String> killed) throws Exception {
        try (var cluster = SluiceCluster.start(
                        folder.resolve("cluster"), Map.of(), "--separate", "--targets", "3", "--drives", "1");
                var s3 = cluster.endpoint().client()) {
            cluster.run("bucket", "create", BUCKET, "--ec", "2+1");
            assertThat(cluster.run("bucket", "ls").latin1()).contains(BUCKET + "  ec 2+1");
            awaitFull(cluster);
            requireOperations(s3);
            try (var load = new ReplicatedLoad(s3, BUCKET, KEYS).start(2, 2, SEED)) {
                load.awaitSteps(STEPS);
                for (var target : killed) {
                    cluster.node("kill", target);
                    load.awaitSteps(STEPS);
                    requireObjects(s3);
                    cluster.node("start", target);
                    awaitFull(cluster);
                    load.awaitSteps(STEPS);
                }
                for (var target : List.of("target003", "target002", "target001")) { // none waits for the one before
                    cluster.node("kill", target);
                    cluster.node("start", target);
                }
                load.awaitSteps(STEPS);
                load.stop();
                load.verify();
            }
            awaitFull(cluster);
            requireObjects(s3);
        }
    }

    @Tag("long")
    @Test
    void twoOfSixTargetsMayBeKilled() throws Exception {
        try (var cluster = SluiceCluster.start(
                        folder.resolve("six"), Map.of(), "--separate", "--targets", "6", "--drives", "1");
                var s3 = cluster.endpoint().client()) {
            cluster.run("bucket", "create", BUCKET, "--ec", "4+2");
            awaitFull(cluster);
            requireOperations(s3);
            try (var load = new ReplicatedLoad(s3, BUCKET, KEYS).start(2, 2, SEED)) {
                load.awaitSteps(STEPS);
                for (var target : List.of("target003", "target006")) { // one of them a controller
                    cluster.node("kill", target);
                }
                for (int size : SIZES) {
                    var got = Eventually.within(READ, () -> get(s3, key(size)));
                    assertThat(Arrays.equals(got, Content.of(key(size), size))).isTrue();
                }
                requireWritesRefused(s3);
                requireStatus(cluster, "no other loss");
                cluster.node("kill", "target005");
                requireStatus(cluster, "those that are not served wait for: target00");
                assertThat(cluster.attempt(Map.of(), "cluster", "forget", "target005", "--yes")
                                .err())
                        .contains("of them keep too few slices", BUCKET, "--accept-data-loss");
                for (var target : List.of("target005", "target003", "target006")) {
                    cluster.node("start", target);
                }
                awaitFull(cluster);
                load.awaitSteps(STEPS);
                load.stop();
                load.verify();
            }
            requireObjects(s3);
        }
    }

    /// Some are committed nevertheless, and answered so until it is seen that too few targets are there.
    private static void requireWritesRefused(S3Client s3) {
        Eventually.holds(
                REPAIR,
                () -> assertThatThrownBy(() -> put(s3, "refused", 4_000))
                        .isInstanceOfSatisfying(
                                S3Exception.class,
                                refused -> assertThat(refused.statusCode()).isEqualTo(503)));
    }

    private static void requireStatus(SluiceCluster cluster, String text) {
        Eventually.holds(
                REPAIR,
                () -> assertThat(cluster.attempt(Map.of(), "status").latin1()).contains(text));
    }

    private static String key(int size) {
        return "sizes/" + size;
    }

    private static void requireOperations(S3Client s3) {
        for (int size : SIZES) {
            put(s3, key(size), size);
        }
        requireObjects(s3);
        assertThat(s3.listObjectsV2(request -> request.bucket(BUCKET).prefix("sizes/"))
                        .contents())
                .extracting(S3Object::size)
                .containsExactlyInAnyOrderElementsOf(
                        SIZES.stream().map(Integer::longValue).toList());
        s3.copyObject(request -> request.sourceBucket(BUCKET)
                .sourceKey(key(8 * MIB))
                .destinationBucket(BUCKET)
                .destinationKey("copied"));
        assertThat(Arrays.equals(get(s3, "copied"), Content.of(key(8 * MIB), 8 * MIB)))
                .isTrue();
        assertThatThrownBy(() -> s3.putObject(
                        request -> request.bucket(BUCKET).key("copied").ifNoneMatch("*"), RequestBody.fromString("no")))
                .isInstanceOfSatisfying(
                        S3Exception.class,
                        refused -> assertThat(refused.statusCode()).isEqualTo(412));
        s3.deleteObject(request -> request.bucket(BUCKET).key("copied"));
        assertThatThrownBy(() -> get(s3, "copied")).isInstanceOf(NoSuchKeyException.class);
        requireUpload(s3);
    }

    private static void requireUpload(S3Client s3) {
        var id = s3.createMultipartUpload(request -> request.bucket(BUCKET).key("parts"))
                .uploadId();
        var parts = IntStream.rangeClosed(1, 3)
                .mapToObj(number -> {
                    var etag = s3.uploadPart(
                                    request -> request.bucket(BUCKET)
                                            .key("parts")
                                            .uploadId(id)
                                            .partNumber(number),
                                    RequestBody.fromBytes(part(number)))
                            .eTag();
                    return CompletedPart.builder().partNumber(number).eTag(etag).build();
                })
                .toList();
        s3.completeMultipartUpload(
                request -> request.bucket(BUCKET).key("parts").uploadId(id).multipartUpload(all -> all.parts(parts)));
        var whole = new ByteArrayOutputStream();
        IntStream.rangeClosed(1, 3).forEach(number -> whole.writeBytes(part(number)));
        assertThat(Arrays.equals(get(s3, "parts"), whole.toByteArray())).isTrue();
        assertThat(s3.listMultipartUploads(request -> request.bucket(BUCKET)).uploads())
                .isEmpty();
    }

    private static byte[] part(int number) {
        return Content.of("part " + number, number < 3 ? 5 * MIB + 100 : 70_000);
    }

    private static void put(S3Client s3, String key, int size) {
        s3.putObject(request -> request.bucket(BUCKET).key(key), RequestBody.fromBytes(Content.of(key, size)));
    }

    private static byte[] get(S3Client s3, String key) {
        return s3.getObjectAsBytes(request -> request.bucket(BUCKET).key(key)).asByteArray();
    }

    /// All of each, and a range across the ends of blocks.
    private static void requireObjects(S3Client s3) {
        for (int size : SIZES) {
            var content = Content.of(key(size), size);
            assertThat(s3.headObject(request -> request.bucket(BUCKET).key(key(size)))
                            .contentLength())
                    .isEqualTo(size);
            var got = Eventually.within(REPAIR, () -> get(s3, key(size)));
            assertThat(Arrays.equals(got, content)).as("%d bytes", size).isTrue();
            if (size > 0) {
                int from = size / 3;
                int to = size - size / 4;
                var range = Eventually.within(
                        REPAIR,
                        () -> s3.getObjectAsBytes(request -> request.bucket(BUCKET)
                                        .key(key(size))
                                        .range("bytes=%d-%d".formatted(from, to - 1)))
                                .asByteArray());
                assertThat(Arrays.equals(range, Arrays.copyOfRange(content, from, to)))
                        .as("%d to %d of %d bytes", from, to, size)
                        .isTrue();
            }
        }
    }

    private static void awaitFull(SluiceCluster cluster) {
        Eventually.within(REPAIR, () -> {
            var health = clusterHealth(cluster);
            assertThat(health.statusCode()).as(health.body()).isEqualTo(200);
            return health;
        });
    }

    private static HttpResponse<String> clusterHealth(SluiceCluster cluster) throws IOException, InterruptedException {
        try (var http = HttpClient.newHttpClient()) {
            return http.send(
                    HttpRequest.newBuilder(cluster.endpoint().url().resolve("/health/cluster"))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        }
    }
}
