package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deploy.harness.Eventually;
import dev.sluice.deploy.harness.SluiceCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.S3Object;

/// What was acknowledged is there after a crash, and nothing is there by halves.
final class CrashTest {
    private static final int OBJECTS = 1000;
    private static final int WRITERS = 8;
    private static final Duration RECOVERY = Duration.ofSeconds(60);

    /// Within this every request is answered, also those for the dead target.
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private final Set<String> acknowledged = new ConcurrentSkipListSet<>();
    private final Set<String> unknown = new ConcurrentSkipListSet<>();
    private final AtomicLong slowest = new AtomicLong();

    @ParameterizedTest
    @ValueSource(strings = {"target001", "target002"})
    void acknowledgedObjectsSurviveTheKillOfATarget(String victim, @TempDir Path folder) throws Exception {
        try (var cluster = SluiceCluster.start(folder.resolve("cluster"), Map.of(), "--separate");
                var s3 = cluster.endpoint().client()) {
            s3.createBucket(request -> request.bucket("crash"));
            writeWhileItDies(cluster, s3, victim);
            assertThat(acknowledged).as("acknowledged").hasSizeGreaterThan(OBJECTS / 4);
            assertThat(Duration.ofNanos(slowest.get()))
                    .as("the longest wait for an answer")
                    .isLessThan(PATIENCE);

            Eventually.holds(RECOVERY, () -> assertAllThere(s3));
            Eventually.holds(
                    RECOVERY,
                    () -> assertThat(cluster.workFiles()).as("work files left").isEmpty());
            s3.putObject(request -> request.bucket("crash").key("after"), RequestBody.fromString("after"));
            s3.deleteObject(request -> request.bucket("crash").key("after"));

            cluster.down();
            assertThat(cluster.workFiles())
                    .as("work files left by an orderly end")
                    .isEmpty();
            cluster.up();
            assertAllThere(s3);
        }
    }

    /// Each writer writes its share; a third on the way the target is killed, two thirds on it is started again.
    private void writeWhileItDies(SluiceCluster cluster, S3Client s3, String victim) throws Exception {
        var next = new AtomicInteger();
        var killNow = new CountDownLatch(OBJECTS / 3);
        var startNow = new CountDownLatch(OBJECTS * 2 / 3);
        try (var writers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < WRITERS; i++) {
                writers.execute(() -> {
                    for (int n = next.getAndIncrement(); n < OBJECTS; n = next.getAndIncrement()) {
                        put(s3, "%s/%04d".formatted(n % 3 == 0 ? "a" : "b/c", n));
                        killNow.countDown();
                        startNow.countDown();
                    }
                });
            }
            assertThat(killNow.await(2, TimeUnit.MINUTES)).isTrue();
            cluster.node("kill", victim);
            assertThat(startNow.await(2, TimeUnit.MINUTES)).isTrue();
            cluster.node("start", victim);
        }
    }

    private void put(S3Client s3, String key) {
        long began = System.nanoTime();
        try {
            s3.putObject(request -> request.bucket("crash").key(key), RequestBody.fromBytes(body(key)));
            acknowledged.add(key);
        } catch (SdkException refusedOrLost) {
            unknown.add(key); // it may be there, then whole, or not
        }
        slowest.accumulateAndGet(System.nanoTime() - began, Math::max);
    }

    private static byte[] body(String key) {
        return Content.of(key, 500 + Math.floorMod(key.hashCode(), 120_000));
    }

    private void assertAllThere(S3Client s3) {
        var listed = s3
                .listObjectsV2Paginator(request -> request.bucket("crash").maxKeys(300))
                .contents()
                .stream()
                .collect(Collectors.toMap(S3Object::key, S3Object::size));
        var lost = new TreeSet<>(acknowledged);
        lost.removeAll(listed.keySet());
        assertThat(lost).as("acknowledged and not listed").isEmpty();
        var invented = new TreeSet<>(listed.keySet());
        invented.removeAll(acknowledged);
        invented.removeAll(unknown);
        assertThat(invented).as("listed and never written").isEmpty();
        listed.forEach((key, size) -> {
            var body = s3.getObjectAsBytes(request -> request.bucket("crash").key(key))
                    .asByteArray();
            assertThat(size).as("listed size of " + key).isEqualTo(body.length);
            assertThat(Content.digest(body)).as(key).isEqualTo(Content.digest(body(key)));
        });
        unknown.stream()
                .filter(key -> !listed.containsKey(key))
                .limit(20)
                .forEach(key -> assertThat(missing(s3, key))
                        .as("not listed, yet there: " + key)
                        .isTrue());
    }

    private static boolean missing(S3Client s3, String key) {
        try {
            s3.headObject(request -> request.bucket("crash").key(key));
            return false;
        } catch (NoSuchKeyException e) {
            return true;
        }
    }
}
