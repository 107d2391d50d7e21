package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deploy.harness.Eventually;
import dev.sluice.deploy.harness.SluiceCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ExpirationStatus;
import software.amazon.awssdk.services.s3.model.LifecycleRule;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;

/// Objects end when their bucket's rules say so. A day is some seconds here.
@Timeout(value = 4, unit = TimeUnit.MINUTES)
final class ExpiryTest {
    private static final Duration DAY = Duration.ofSeconds(4);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private SluiceCluster start() throws IOException {
        var dir = Files.createDirectories(folder.resolve("cluster"));
        Files.writeString(
                dir.resolve("sluice.toml"),
                "[limits]\nlifecycle_interval = \"300ms\"\nlifecycle_day = \"%ds\"\n".formatted(DAY.toSeconds()));
        return SluiceCluster.start(dir, Map.of(), "--separate", "--targets", "3", "--drives", "1");
    }

    private static LifecycleRule rule(String prefix, int days) {
        return LifecycleRule.builder()
                .id("of " + prefix)
                .status(ExpirationStatus.ENABLED)
                .filter(filter -> filter.prefix(prefix))
                .expiration(expiration -> expiration.days(days))
                .abortIncompleteMultipartUpload(abort -> abort.daysAfterInitiation(1))
                .build();
    }

    private static void eventually(BooleanSupplier holds) {
        Eventually.holds(PATIENCE, () -> assertThat(holds.getAsBoolean()).isTrue());
    }

    private static void put(S3Client s3, String key, String content) {
        s3.putObject(request -> request.bucket("expiring").key(key), RequestBody.fromString(content));
    }

    private static boolean has(S3Client s3, String key) {
        try {
            s3.headObject(request -> request.bucket("expiring").key(key));
            return true;
        } catch (NoSuchKeyException _) {
            return false;
        }
    }

    @Test
    void objectsAndUploadsEndAndOthersStay() throws IOException {
        try (var cluster = start();
                var s3 = cluster.endpoint().client()) {
            s3.createBucket(request -> request.bucket("expiring"));
            var rules = List.of(rule("tmp/", 1), rule("later/", 10_000));
            s3.putBucketLifecycleConfiguration(
                    request -> request.bucket("expiring").lifecycleConfiguration(all -> all.rules(rules)));
            assertThat(s3.getBucketLifecycleConfiguration(request -> request.bucket("expiring"))
                            .rules())
                    .isEqualTo(rules);
            for (int i = 0; i < 20; i++) {
                put(s3, "tmp/" + i, "short-lived");
            }
            put(s3, "later/0", "long-lived");
            put(s3, "kept", "for ever");
            s3.createMultipartUpload(request -> request.bucket("expiring").key("tmp/upload"));
            s3.createMultipartUpload(request -> request.bucket("expiring").key("kept-upload"));
            assertThat(s3.headObject(request -> request.bucket("expiring").key("later/0"))
                            .expiration())
                    .contains("rule-id=\"of%20later%2F\"");
            eventually(() -> s3.listObjectsV2(request -> request.bucket("expiring"))
                            .contents()
                            .size()
                    == 2);
            eventually(() -> s3.listMultipartUploads(request -> request.bucket("expiring"))
                            .uploads()
                            .size()
                    == 1);
            assertThat(has(s3, "kept")).isTrue();
            assertThat(has(s3, "tmp/7")).isFalse();
            Eventually.holds(
                    PATIENCE,
                    () -> assertThat(cluster.run("bucket", "show", "expiring").outText())
                            .contains("expiry: last pass 20", "20 objects deleted, 1 wait for their time"));
        }
    }

    /// Clients write the same keys again and again, so none is ever a day old while they get answers. Meanwhile
    /// targets are killed.
    @Tag("long")
    @Test
    void noObjectThatWasJustWrittenIsLost() throws Exception {
        try (var cluster = start();
                var s3 = cluster.endpoint().client()) {
            s3.createBucket(request -> request.bucket("expiring"));
            s3.putBucketLifecycleConfiguration(
                    request -> request.bucket("expiring").lifecycleConfiguration(all -> all.rules(rule("", 1))));
            var stop = new AtomicBoolean();
            var looks = new AtomicInteger();
            var expired = new AtomicInteger();
            try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                var writers = new ArrayList<CompletableFuture<Void>>();
                for (int i = 0; i < 8; i++) {
                    var key = "key-" + i;
                    boolean pauses = i % 2 == 0; // its objects expire now and then
                    writers.add(CompletableFuture.runAsync(
                            () -> writeAndLook(s3, key, pauses, stop, looks, expired), threads));
                }
                for (int round = 0; round < 3; round++) {
                    var victim = cluster.targets().get(round).id();
                    cluster.kill(victim);
                    pause(writers, 6_000);
                    cluster.node("start", victim);
                    pause(writers, 6_000);
                }
                stop.set(true);
                writers.forEach(CompletableFuture::join);
            }
            assertThat(looks).hasValueGreaterThan(500);
            assertThat(expired).as("what was left alone").hasPositiveValue();
        }
    }

    private static void pause(List<CompletableFuture<Void>> writers, long millis) {
        writers.getFirst()
                .copy()
                .completeOnTimeout(null, millis, TimeUnit.MILLISECONDS)
                .join();
    }

    private static void writeAndLook(
            S3Client s3, String key, boolean pauses, AtomicBoolean stop, AtomicInteger looks, AtomicInteger expired) {
        for (int turn = 0; !stop.get(); turn++) {
            long began = System.nanoTime();
            var content = key + " " + turn;
            try {
                put(s3, key, content);
            } catch (SdkException refused) {
                continue; // it may have been stored, or not
            }
            var found = read(s3, key);
            if (found.isPresent()) {
                boolean young = System.nanoTime() - began < DAY.toNanos();
                if (young) {
                    assertThat(found.get())
                            .as("acknowledged less than a day ago")
                            .isEqualTo(content);
                    looks.incrementAndGet();
                }
            }
            if (pauses && turn % 50 == 49) {
                eventually(() -> stop.get() || read(s3, key).equals(Optional.of("")));
                expired.incrementAndGet();
            }
        }
    }

    /// The content, or nothing for no object; empty when nobody answers.
    private static Optional<String> read(S3Client s3, String key) {
        try {
            return Optional.of(
                    s3.getObjectAsBytes(request -> request.bucket("expiring").key(key))
                            .asUtf8String());
        } catch (NoSuchKeyException _) {
            return Optional.of("");
        } catch (SdkException _) {
            return Optional.empty();
        }
    }
}
