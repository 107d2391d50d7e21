package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deploy.harness.Eventually;
import dev.sluice.deploy.harness.Mode;
import dev.sluice.deploy.harness.Running;
import dev.sluice.deploy.harness.SluiceCluster;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Exception;

/// A bucket's quota in a cluster of several targets, as clients and operators meet it.
@Tag("shared")
@Tag("long") // target-node has a short form
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class QuotaTest {
    private static final int SIZE = 32 << 10;
    private static final long QUOTA = 16L << 20;

    /// How old a target's figures of the others may be, and some for a busy machine.
    private static final Duration AGE = Duration.ofMillis(2500);

    private static final int ALL_REFUSE = 60;
    private static final Duration SOON = Duration.ofSeconds(15);

    private record Stored(long nanos, long bytes) {}

    @Test
    void aFullBucketTakesNoMoreUntilSomethingIsDeleted(@Running(Mode.SEPARATE) SluiceCluster cluster) throws Exception {
        try (var s3 = cluster.endpoint().client()) {
            cluster.run("bucket", "create", "limited", "--quota", "16MiB", "--replicas", "1");
            long stored = fill(s3);
            assertThat(s3.getObjectAsBytes(request -> request.bucket("limited").key(key(0)))
                            .asByteArray())
                    .isEqualTo(Content.of(key(0), SIZE));
            assertThat(put(s3, key(0), SIZE))
                    .as("an overwrite that does not grow")
                    .isTrue();
            requireRefusal(() -> s3.copyObject(request -> request.sourceBucket("limited")
                    .sourceKey(key(1))
                    .destinationBucket("limited")
                    .destinationKey("copy")));
            requireRefusal(() -> uploadPart(s3));
            assertThat(cluster.run("bucket", "show", "limited").outText())
                    .contains("\"quota\" : 16777216", "in %d objects".formatted(stored), " % of its quota of 16.0 MiB");
            Eventually.holds(
                    SOON,
                    () -> assertThat(metrics(cluster))
                            .contains("sluice_bucket_bytes{bucket=\"limited\"", "sluice_quota_refusals_total"));

            cluster.node("kill", "target003");
            requireRefusedWhileOneIsAway(s3);
            cluster.node("start", "target003");

            for (int i = 0; i < stored / 2; i++) {
                var key = key(i);
                s3.deleteObject(request -> request.bucket("limited").key(key));
            }
            Eventually.holds(
                    SOON,
                    () -> assertThat(put(s3, "again", SIZE) && put(s3, "and again", SIZE))
                            .as("after deletions")
                            .isTrue());
            cluster.run("bucket", "set", "limited", "--quota", "1KiB");
            Eventually.holds(
                    SOON,
                    () -> assertThat(put(s3, "third", SIZE)).as("a lower quota").isFalse());
            cluster.run("bucket", "set", "limited", "--quota", "none");
            Eventually.holds(SOON, () -> assertThat(put(s3, "third", SIZE)).isTrue());
        }
    }

    /// Until each target has refused; then no more is stored than the quota and what the others took meanwhile.
    ///
    /// @return how many objects
    private static long fill(S3Client s3) {
        Deque<Stored> latest = new ArrayDeque<>();
        long bytes = 0;
        int refused = 0;
        for (int i = 0; refused < ALL_REFUSE; i++) {
            if (put(s3, key((int) (bytes / SIZE) + refused), SIZE)) {
                bytes += SIZE;
                latest.add(new Stored(System.nanoTime(), SIZE));
            } else {
                refused++;
            }
            assertThat(i).as("writes").isLessThan(20_000);
        }
        long end = latest.getLast().nanos - AGE.toNanos();
        latest.removeIf(each -> each.nanos < end);
        long unheard = latest.stream().mapToLong(Stored::bytes).sum();
        assertThat(bytes).as("stored").isBetween(QUOTA - 4 * SIZE, QUOTA + unheard);
        return bytes / SIZE;
    }

    @Test
    void eachReplicaCounts(@Running(Mode.SEPARATE) SluiceCluster cluster) {
        try (var s3 = cluster.endpoint().client()) {
            cluster.run("bucket", "create", "copied", "--quota", "1MiB", "--replicas", "2");
            Eventually.holds(
                    SOON, () -> assertThat(put(s3, "copied", key(0), SIZE)).isTrue());
            int most = (1 << 20) / (2 * SIZE);
            for (int i = 1; i < most - 1; i++) {
                assertThat(put(s3, "copied", key(i), SIZE)).as(key(i)).isTrue();
            }
            assertThat(put(s3, "copied", "larger", 2 * SIZE)).isFalse();
            Eventually.holds(
                    SOON,
                    () -> assertThat(put(s3, "copied", key(most - 1), SIZE)).isTrue());
            Eventually.holds(
                    SOON, () -> assertThat(put(s3, "copied", "more", 1)).isFalse());
            assertThat(put(s3, "copied", key(1), SIZE)).as("it does not grow").isTrue();
            s3.deleteObject(request -> request.bucket("copied").key(key(0)));
            Eventually.holds(
                    SOON, () -> assertThat(put(s3, "copied", "more", SIZE)).isTrue());
        }
    }

    private static void requireRefusedWhileOneIsAway(S3Client s3) {
        long end = System.nanoTime() + Duration.ofSeconds(3).toNanos();
        int refused = 0;
        for (int i = 0; System.nanoTime() < end; i++) {
            var key = "meanwhile" + i;
            try {
                s3.putObject(request -> request.bucket("limited").key(key), RequestBody.fromBytes(new byte[1 << 20]));
                throw new AssertionError(key + " was stored: the quota was forgotten with a target");
            } catch (S3Exception e) {
                assertThat(e.statusCode()).isIn(507, 503);
                refused += e.statusCode() == 507 ? 1 : 0;
            }
        }
        assertThat(refused).as("refused by the targets that are there").isPositive();
    }

    private static void uploadPart(S3Client s3) {
        var upload =
                s3.createMultipartUpload(request -> request.bucket("limited").key("upload"));
        s3.uploadPart(
                request -> request.bucket("limited")
                        .key("upload")
                        .uploadId(upload.uploadId())
                        .partNumber(1),
                RequestBody.fromBytes(Content.of("upload", SIZE)));
    }

    private static String key(int i) {
        return "k%05d".formatted(i);
    }

    private static boolean put(S3Client s3, String key, int size) {
        return put(s3, "limited", key, size);
    }

    private static boolean put(S3Client s3, String bucket, String key, int size) {
        try {
            s3.putObject(request -> request.bucket(bucket).key(key), RequestBody.fromBytes(Content.of(key, size)));
            return true;
        } catch (S3Exception e) {
            requireQuotaExceeded(e);
            return false;
        }
    }

    private static void requireRefusal(Runnable write) {
        try {
            write.run();
        } catch (S3Exception e) {
            requireQuotaExceeded(e);
            return;
        }
        throw new AssertionError("a write that exceeds the quota was taken");
    }

    private static void requireQuotaExceeded(S3Exception e) {
        assertThat(e.statusCode()).as(e.toString()).isEqualTo(507);
        assertThat(e.awsErrorDetails().errorCode()).isEqualTo("QuotaExceeded");
        assertThat(e.awsErrorDetails().errorMessage()).contains(" would exceed its quota of ", "Delete objects");
    }

    private static String metrics(SluiceCluster cluster) {
        var url = URI.create(cluster.targets().getFirst().url() + "/metrics");
        try (var http = HttpClient.newHttpClient()) {
            return http.send(HttpRequest.newBuilder(url).build(), HttpResponse.BodyHandlers.ofString())
                    .body();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
