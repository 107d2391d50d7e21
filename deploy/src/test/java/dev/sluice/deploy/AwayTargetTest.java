package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.backend.peers.PeerServer;
import dev.sluice.backend.peers.RequiresPeer;
import dev.sluice.deploy.harness.Endpoint;
import dev.sluice.deploy.harness.Eventually;
import dev.sluice.deploy.harness.SluiceCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/// Readers of a bucket before MinIO do not notice that a target stands still, nor that it is killed.
@RequiresPeer("minio")
@Timeout(value = 3, unit = TimeUnit.MINUTES)
final class AwayTargetTest {
    private static final String BUCKET = "cached";
    private static final List<String> KEYS =
            IntStream.range(0, 20).mapToObj("shard-%02d"::formatted).toList();
    private static final int READERS = 4;
    private static final int ROUNDS = 2;
    private static final Duration SOON = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    private static byte[] content(String key) {
        return Content.of(key, key.endsWith("7") ? Content.MIB : 1000);
    }

    private SluiceCluster cluster(PeerServer minio) throws Exception {
        var settings = Files.writeString(folder.resolve("settings.toml"), """
                [cluster]
                targets = 3
                drives = 1
                [backends.lab]
                type = "s3"
                endpoint = "%s"
                access_key = "%s"
                secret_key = "%s"
                """.formatted(
                        minio.url(), PeerServer.MINIO_USER, PeerServer.MINIO_PASSWORD));
        return SluiceCluster.start(folder.resolve("cluster"), Map.of(), "--separate", "--config", settings.toString());
    }

    /// @param source what `X-Cache` says
    private record Read(long began, String key, String source) {}

    private record Failure(long began, long ended, String key, Exception why) {}

    /// Something that may cost the reads that are under way, and no later one.
    private record Disturbance(long began, long ended) {
        boolean excuses(Failure failure) {
            return failure.began() - ended <= 0 && failure.ended() - began >= 0;
        }
    }

    /// Reads every key again and again.
    private static final class Readers implements AutoCloseable {
        private final S3Client s3;
        private final Queue<Read> reads = new ConcurrentLinkedQueue<>();
        private final Queue<Failure> failures = new ConcurrentLinkedQueue<>();
        private final List<Disturbance> disturbances = new ArrayList<>();
        private final AtomicInteger next = new AtomicInteger();
        private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        private volatile boolean ended;

        Readers(S3Client s3) {
            this.s3 = s3;
            for (int i = 0; i < READERS; i++) {
                var _ = threads.submit(this::run);
            }
        }

        private void run() {
            while (!ended) {
                var key = KEYS.get(next.getAndIncrement() % KEYS.size());
                long began = System.nanoTime();
                try {
                    reads.add(new Read(began, key, source(s3, key)));
                } catch (RuntimeException | AssertionError failure) {
                    failures.add(new Failure(began, System.nanoTime(), key, new IllegalStateException(key, failure)));
                }
            }
        }

        void during(Runnable action) {
            long began = System.nanoTime();
            action.run();
            disturbances.add(new Disturbance(began, System.nanoTime()));
        }

        /// Some rounds over all keys that begin from now on.
        ///
        /// @return what `X-Cache` said in them at last, by key
        Map<String, String> rounds() {
            long since = System.nanoTime();
            var sources = new HashMap<String, String>();
            Eventually.holds(SOON, () -> {
                sources.clear();
                var later =
                        reads.stream().filter(read -> read.began() - since > 0).toList();
                later.forEach(read -> sources.put(read.key(), read.source()));
                requireNoFailures();
                assertThat(later).hasSizeGreaterThan(ROUNDS * KEYS.size());
                assertThat(sources.keySet()).containsExactlyInAnyOrderElementsOf(KEYS);
            });
            return sources;
        }

        private void requireNoFailures() {
            assertThat(failures)
                    .filteredOn(failure -> disturbances.stream().noneMatch(each -> each.excuses(failure)))
                    .isEmpty();
        }

        @Override
        public void close() {
            ended = true;
            threads.close();
        }
    }

    private static String source(S3Client s3, String key) {
        var got = s3.getObjectAsBytes(request -> request.bucket(BUCKET).key(key));
        assertThat(Content.digest(got.asByteArray())).as(key).isEqualTo(Content.digest(content(key)));
        return got.response().sdkHttpResponse().firstMatchingHeader("X-Cache").orElseThrow();
    }

    @Test
    void noReadFailsThatBeginsAfterATargetIsGone() throws Exception {
        try (var minio = PeerServer.minio(folder.resolve("minio"));
                var cloud = new Endpoint(minio.url(), PeerServer.MINIO_USER, PeerServer.MINIO_PASSWORD).client();
                var cluster = cluster(minio);
                var s3 = cluster.endpoint().client()) {
            cloud.createBucket(request -> request.bucket(BUCKET));
            for (var key : KEYS) {
                cloud.putObject(request -> request.bucket(BUCKET).key(key), RequestBody.fromBytes(content(key)));
            }
            cluster.run("bucket", "create", BUCKET, "--backend", "s3://" + BUCKET, "--via", "lab");
            var readers = new Readers(s3);
            try (readers) {
                Eventually.holds(
                        SOON, () -> assertThat(readers.rounds().values()).containsOnly("HIT"));
                readers.during(() -> cluster.freeze("target002"));
                assertThat(readers.rounds().values()).contains("BYPASS").doesNotContain("MISS", "FILL");
                cluster.thaw("target002");
                readers.during(() -> cluster.kill("target003"));
                var sources = readers.rounds();
                assertThat(sources.values()).contains("BYPASS").doesNotContain("MISS", "FILL");
                requireTheRest(s3, key(sources, "BYPASS"));
            }
            readers.requireNoFailures();
        }
    }

    private static String key(Map<String, String> sources, String source) {
        return sources.entrySet().stream()
                .filter(each -> each.getValue().equals(source))
                .findFirst()
                .orElseThrow()
                .getKey();
    }

    private static void requireTheRest(S3Client s3, String theirs) {
        assertThat(s3.headObject(request -> request.bucket(BUCKET).key(theirs)).contentLength())
                .isEqualTo(content(theirs).length);
        assertThat(s3.getObjectAsBytes(
                                request -> request.bucket(BUCKET).key(theirs).range("bytes=10-19"))
                        .asByteArray())
                .isEqualTo(Arrays.copyOfRange(content(theirs), 10, 20));
        requireUnavailable(
                () -> s3.deleteObject(request -> request.bucket(BUCKET).key(theirs)));
        requireUnavailable(
                () -> s3.putObject(request -> request.bucket(BUCKET).key(theirs), RequestBody.fromString("not now")));
        Eventually.holds(
                SOON,
                () -> assertThat(s3.listObjectsV2(request -> request.bucket(BUCKET)).contents().stream()
                                .map(S3Object::key))
                        .containsExactlyElementsOf(KEYS));
    }

    private static void requireUnavailable(Runnable request) {
        assertThatThrownBy(request::run)
                .isInstanceOfSatisfying(
                        S3Exception.class,
                        refusal -> assertThat(refusal.statusCode()).isEqualTo(503));
    }
}
