package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deploy.harness.Eventually;
import dev.sluice.deploy.harness.SluiceCluster;
import dev.sluice.testing.SampleTar;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;

/// Batches over five buckets and three targets are what was put, also while targets die and stand still.
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class SampleBatchesTest {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final int BUCKETS = 5;
    private static final int SHARDS = 25;
    private static final String OPEN = """
            {"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"s3:GetObject",\
            "Resource":"arn:aws:s3:::%s/*"}]}""";

    @TempDir
    private Path folder;

    private static String bucket(int number) {
        return "sets-" + number;
    }

    @Test
    void batchesAreWholeAndInOrderWhileTargetsDie() throws Exception {
        try (var cluster = SluiceCluster.start(
                        folder.resolve("cluster"), Map.of(), "--separate", "--targets", "3", "--drives", "1");
                var s3 = cluster.endpoint().client()) {
            var batches = new SampleBatches(cluster.endpoint().url());
            for (int i = 0; i < BUCKETS; i++) {
                var name = bucket(i);
                cluster.run("bucket", "create", name, "--replicas", "2");
                Eventually.holds(
                        SOON,
                        () -> s3.putBucketPolicy(request -> request.bucket(name).policy(OPEN.formatted(name))));
            }
            for (int i = 0; i < SHARDS; i++) {
                var tar = SampleTar.of(i == 0 ? 1 : 1 + 17 * i, i % 5 == 0 ? 200_000 : 9_000, i);
                var name = bucket(i % BUCKETS);
                var key = "train-%06d.tar".formatted(i);
                Eventually.holds(
                        SOON,
                        () -> s3.putObject(
                                request -> request.bucket(name).key(key), RequestBody.fromBytes(tar.bytes())));
                batches.add(name, key, tar);
            }
            cluster.run("bucket", "create", "closed", "--replicas", "2");
            requireRefusals(batches);
            requireCounts(batches);
            requireTar(batches);
            for (int seed = 0; seed < 30; seed++) {
                assertThat(batches.requireBatch(new Random(seed))).isPositive();
            }

            var stop = new AtomicBoolean();
            var read = new AtomicLong();
            var readers = CompletableFuture.allOf(reader(batches, 100, stop, read), reader(batches, 200, stop, read));
            try {
                awaitMore(read, readers);
                cluster.kill("target003");
                awaitMore(read, readers);
                cluster.node("start", "target003");
                awaitFull(batches); // else the target that stands still may be the last one with some shards
                cluster.freeze("target002");
                awaitMore(read, readers);
                cluster.thaw("target002");
                awaitMore(read, readers);
            } catch (AssertionError failed) {
                throw new AssertionError(cluster.lastWords(), failed);
            } finally {
                stop.set(true);
            }
            readers.get(2, TimeUnit.MINUTES);
            awaitFull(batches);
            for (var drive : cluster.drives(cluster.targets().getFirst())) {
                assertThat(flipABitOfEach(drive.resolve("objects"))).isPositive();
            }
            for (int seed = 300; seed < 320; seed++) { // the other replicas have what was written
                assertThat(batches.requireBatch(new Random(seed))).isPositive();
            }
        }
    }

    private static int flipABitOfEach(Path folder) throws IOException {
        try (var files = Files.walk(folder)) {
            var all = files.filter(Files::isRegularFile).toList();
            for (var each : all) {
                try (var file = new RandomAccessFile(each.toFile(), "rw")) {
                    file.seek(file.length() / 2);
                    int old = file.read();
                    file.seek(file.length() / 2);
                    file.write(old ^ 1);
                }
            }
            return all.size();
        }
    }

    private static void awaitFull(SampleBatches batches) {
        Eventually.within(Duration.ofSeconds(90), () -> {
            var health = batches.health();
            assertThat(health.statusCode()).as(health.body()).isEqualTo(200);
            return health;
        });
    }

    private static CompletableFuture<Void> reader(
            SampleBatches batches, long seed, AtomicBoolean stop, AtomicLong read) {
        return CompletableFuture.runAsync(() -> {
            for (long i = 0; !stop.get(); i++) {
                try {
                    read.addAndGet(batches.requireBatch(new Random(seed + i)));
                } catch (IOException | InterruptedException failure) {
                    throw new AssertionError("batch " + (seed + i), failure);
                }
            }
        });
    }

    /// Until both readers have had many more samples, some of which were asked for after now.
    private static void awaitMore(AtomicLong read, CompletableFuture<Void> readers) {
        long before = read.get();
        Eventually.within(Duration.ofSeconds(90), () -> {
            assertThat(readers).isNotCompletedExceptionally();
            assertThat(read.get()).isGreaterThan(before + 5000);
            return before;
        });
    }

    private static void requireRefusals(SampleBatches batches) throws Exception {
        requireRefused(batches, "{\"shards\":%s,\"samples\":[%d,0,1]}".formatted(batches.listed(), SHARDS), 400);
        requireRefused(batches, "{\"shards\":[[\"sets-0\",\"k\"],[\"other\",\"k\"]],\"samples\":[0,0,1]}", 404);
        requireRefused(batches, "{\"shards\":[[\"sets-0\",\"k\"],[\"closed\",\"k\"]],\"samples\":[0,0,1]}", 403);
        requireRefused(batches, " ".repeat((1 << 20) + 1), 400);
        requireRefused(batches, "{\"shards\":[]}", 400);
    }

    private static void requireRefused(SampleBatches batches, String batch, int status) throws Exception {
        var answer = batches.ask(batch, "*/*");
        var text = new String(answer.body().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(answer.statusCode()).as(text).isEqualTo(status);
        assertThat(text).contains("\"message\"");
    }

    private static void requireCounts(SampleBatches batches) throws Exception {
        var answer = batches.ask("{\"shards\":%s}".formatted(batches.listed()), "*/*");
        var lines = new String(answer.body().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
        for (int i = 0; i < SHARDS; i++) {
            var begin = "{\"shard\":%d,\"samples\":%d,\"size\":".formatted(i, i == 0 ? 1 : 1 + 17 * i);
            assertThat(lines).filteredOn(line -> line.startsWith(begin)).hasSize(1);
        }
        var missing = batches.ask("{\"shards\":[[\"sets-0\",\"missing\"]]}", "*/*");
        assertThat(new String(missing.body().readAllBytes(), StandardCharsets.UTF_8))
                .startsWith("{\"shard\":0,\"status\":404,");
    }

    /// All samples of a shard, as a tar, are the shard.
    private static void requireTar(SampleBatches batches) throws Exception {
        var tar = SampleTar.of(1 + 17 * 7, 9_000, 7);
        var answer = batches.ask(
                "{\"shards\":[[\"%s\",\"train-000007.tar\",null]],\"samples\":[0,0,%d]}"
                        .formatted(bucket(7 % BUCKETS), tar.samples().size()),
                "application/x-tar");
        assertThat(Arrays.equals(answer.body().readAllBytes(), tar.bytes())).isTrue();
        assertThat(answer.headers().firstValue("Content-Type")).contains("application/x-tar");
    }
}
