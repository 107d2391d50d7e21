package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.backend.peers.PeerServer;
import dev.sluice.backend.peers.RequiresPeer;
import dev.sluice.deploy.harness.ClusterNode;
import dev.sluice.deploy.harness.Endpoint;
import dev.sluice.deploy.harness.Eventually;
import dev.sluice.deploy.harness.Finished;
import dev.sluice.deploy.harness.Forwarder;
import dev.sluice.deploy.harness.Mode;
import dev.sluice.deploy.harness.Running;
import dev.sluice.deploy.harness.SluiceCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.S3Exception;

/// Prefetches of a bucket before a MinIO, by the commands of the handbook.
@Tag("shared")
@RequiresPeer("minio")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 3, unit = TimeUnit.MINUTES)
final class PrefetchCommandTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final int SIZE = 100_000;
    private static final List<String> TRAIN = keys("train");
    private static final List<String> TEST = keys("test");
    private static final List<String> VAL = keys("val");

    private final SluiceCluster cluster;
    private final List<String> made = new ArrayList<>();
    private PeerServer minio;
    private Forwarder network;
    private S3Client cloud;
    private S3Client s3;

    private static List<String> keys(String folder) {
        return IntStream.range(0, 30)
                .mapToObj(i -> "%s/shard-%02d.tar".formatted(folder, i))
                .toList();
    }

    PrefetchCommandTest(@Running(Mode.SEPARATE) SluiceCluster cluster) {
        this.cluster = cluster;
    }

    @BeforeAll
    void start(@TempDir Path folder) {
        minio = PeerServer.minio(folder.resolve("minio"));
        network = new Forwarder(minio.url());
        cloud = new Endpoint(minio.url(), PeerServer.MINIO_USER, PeerServer.MINIO_PASSWORD).client();
        cloud.createBucket(request -> request.bucket("sets"));
        for (var keys : List.of(TRAIN, TEST, VAL)) {
            keys.forEach(key -> cloud.putObject(
                    request -> request.bucket("sets").key(key), RequestBody.fromBytes(Content.of(key, SIZE))));
        }
        s3 = cluster.endpoint().client();
        cached("sets", Running.PROFILE);
    }

    private void cached(String bucket, String profile, String... properties) {
        made.add(bucket);
        var command = new ArrayList<>(List.of("bucket", "create", bucket, "--backend", "s3://sets"));
        command.addAll(List.of("--backend-endpoint", network.url().toString(), "--profile", profile, "--no-check"));
        command.addAll(List.of(properties));
        cluster.run(command.toArray(String[]::new));
    }

    @AfterAll
    void end() {
        made.forEach(bucket -> cluster.run("bucket", "rm", bucket, "--force"));
        s3.close();
        cloud.close();
        network.close();
        minio.close();
    }

    private void own(String bucket) {
        made.add(bucket);
        s3.createBucket(request -> request.bucket(bucket));
    }

    private Finished attempt(String... arguments) {
        return cluster.attempt(Map.of(), arguments);
    }

    /// The controller's target. The cloud gives nothing meanwhile, so that the job does not end before.
    @Test
    void jobEndsWithEveryObjectWhenATargetIsKilledInTheMiddle() throws IOException {
        killInTheMiddle("test/", TEST, cluster.targets().subList(0, 1));
        requireCached(TEST);
    }

    @Tag("long")
    @Test
    void jobEndsWithEveryObjectWhenAllTargetsAreKilledInTheMiddle() throws IOException {
        killInTheMiddle("val/", VAL, cluster.targets());
        requireCached(VAL);
    }

    private void killInTheMiddle(String prefix, List<String> keys, List<ClusterNode> killed) throws IOException {
        network.holdAnswers("/" + prefix);
        String id;
        try {
            id = cluster.run("prefetch", "sets/" + prefix).outText().strip();
            Eventually.holds(SOON, () -> assertThat(network.requests()).anyMatch(line -> line.contains("/" + prefix)));
            for (var target : killed) {
                cluster.kill(target.id());
                cluster.node("start", target.id());
            }
        } finally {
            network.release();
        }
        var waited = attempt("job", "wait", id, "--json");
        assertThat(waited.exit()).as(waited.outText() + waited.err()).isZero();
        var job = JSON.readTree(waited.outText());
        assertThat(job.path("state").asText()).isEqualTo("done");
        assertThat(job.path("done").asInt() + job.path("skipped").asInt()).isEqualTo(keys.size());
    }

    private void requireCached(List<String> keys) {
        network.cut();
        try {
            for (var key : keys) {
                assertThat(s3.getObjectAsBytes(request -> request.bucket("sets").key(key))
                                .asByteArray())
                        .as(key)
                        .isEqualTo(Content.of(key, SIZE));
            }
        } finally {
            network.repair();
        }
    }

    /// By HEADs of an S3 client's own, through a gateway that relays them to the key's primary.
    @Test
    void anyS3ClientWarmsObjectsAndLooksByHeads() {
        var keys = keys("heads");
        keys.forEach(key -> cloud.putObject(
                request -> request.bucket("sets").key(key), RequestBody.fromBytes(Content.of(key, SIZE))));
        for (var key : keys) {
            var looked = s3.headObject(request -> request.bucket("sets").key(key));
            assertThat(cacheResult(looked)).as(key).isEqualTo("BYPASS");
            assertThat(cacheResult(warm(key))).as(key).isIn("MISS", "BYPASS");
        }
        for (var key : keys) {
            Eventually.holds(SOON, () -> {
                var warmed = warm(key);
                assertThat(warmed.contentLength()).isEqualTo(1);
                assertThat(warmed.contentRange()).isEqualTo("bytes 0-0/" + SIZE);
                assertThat(cacheResult(warmed)).as(key).isEqualTo("HIT");
            });
        }
        requireCached(keys);
        assertThat(cluster.run("bucket", "show", "sets").outText())
                .containsPattern("last minute  \\d{2,} hits, \\d+ misses, hit ratio \\d+\\.\\d %, .* from the cloud")
                .contains("last hour ", "last day ");
        cloud.putObject(request -> request.bucket("sets").key("heads/empty"), RequestBody.empty());
        for (int turn = 0; turn < 2; turn++) {
            assertThatThrownBy(() -> warm("heads/empty"))
                    .isInstanceOfSatisfying(
                            S3Exception.class, e -> assertThat(e.statusCode()).isEqualTo(416));
        }
        assertThatThrownBy(() -> warm("heads/none"))
                .isInstanceOfSatisfying(
                        S3Exception.class, e -> assertThat(e.statusCode()).isEqualTo(404));
    }

    @Test
    void rangesOfColdObjectsFetchNothingElseWhereTheBucketSaysSo() throws IOException {
        var key = "ranges/a.parquet";
        cloud.putObject(request -> request.bucket("sets").key(key), RequestBody.fromBytes(Content.of(key, SIZE)));
        cached("tables", Running.PROFILE, "--cold-range", "pass");
        for (var expected : List.of("BYPASS", "BYPASS", "MISS")) {
            var footer = s3.getObjectAsBytes(
                    request -> request.bucket("tables").key(key).range("bytes=-8"));
            assertThat(footer.asByteArray()).isEqualTo(Arrays.copyOfRange(Content.of(key, SIZE), SIZE - 8, SIZE));
            assertThat(footer.response().sdkHttpResponse().firstMatchingHeader("X-Cache"))
                    .contains(expected);
        }
        Eventually.holds(
                SOON, () -> assertThat(cluster.objectFiles("tables")).anyMatch(file -> file.endsWith("a.parquet")));
    }

    private HeadObjectResponse warm(String key) {
        return s3.headObject(request -> request.bucket("sets").key(key).range("bytes=0-0"));
    }

    private static String cacheResult(HeadObjectResponse response) {
        return response.sdkHttpResponse().firstMatchingHeader("X-Cache").orElse("");
    }

    @Test
    void prefetchThatCannotBeSaysWhyAndLeavesNothing() throws IOException {
        own("results");
        cached("refused", Running.STRANGER);
        requireRefused("NoSuchBucket", "none");
        requireRefused("results has no backend", "results");
        requireRefused("no key that begins with 'nothing/'", "sets/nothing/");
        requireRefused("403", "refused");
        network.cut();
        try {
            requireRefused("ServiceUnavailable", "sets/train/s");
        } finally {
            network.repair();
        }
        assertThat(cluster.run("job", "ls").outText()).doesNotContain("results", "refused", "sets/train/s ");
    }

    /// A target is down when the job begins: its part waits for it.
    @Test
    void evictRemovesWhatIsCachedAndTheCloudKeepsIt(@TempDir Path folder) throws IOException {
        cached("evicted", Running.PROFILE);
        cluster.run("prefetch", "evicted/train/", "--wait");
        assertThat(cluster.objectFiles("evicted")).hasSize(TRAIN.size());
        requireEvictRefused(2, "--yes", "evicted/train/");
        requireEvictRefused(1, "no cached key that begins with 'test/'", "evicted/test/", "--yes");
        own("own");
        requireEvictRefused(1, "own has no backend", "own", "--yes");
        cluster.run("bucket", "set", "evicted", "--evict", "never");
        requireEvictRefused(1, "sluice bucket set evicted --evict auto", "evicted", "--yes");
        cluster.run("bucket", "set", "evicted", "--evict", "auto");
        assertThat(cluster.objectFiles("evicted")).hasSize(TRAIN.size());

        var two = Files.writeString(folder.resolve("two"), TRAIN.get(0) + "\n" + TRAIN.get(1) + "\n");
        assertThat(cluster.run("evict", "evicted", "--list", two.toString(), "--yes", "--wait")
                        .outText())
                .contains("done: 2 evicted");
        var again = attempt("evict", "evicted", "--list", two.toString(), "--yes", "--wait");
        assertThat(again.exit()).isEqualTo(1);
        assertThat(again.err()).contains("no object matches");
        assertThat(cluster.run("prefetch", "evicted", "--list", two.toString(), "--wait")
                        .outText())
                .contains("done: 2 fetched");

        assertThat(cluster.run("ls", "--cached", "-r", "evicted").outText().lines())
                .hasSize(TRAIN.size());
        assertThat(cluster.run("ls", "--cached", "evicted").outText())
                .contains("train/")
                .doesNotContain("test/");

        var killed = cluster.targets().getLast().id();
        cluster.kill(killed);
        var id = cluster.run("evict", "evicted/train/", "--yes").outText().strip();
        cluster.node("start", killed);
        assertThat(cluster.run("job", "wait", id).outText()).contains("done: 30 evicted", "0 failed");
        assertThat(cluster.objectFiles("evicted")).isEmpty();
        assertThat(cloud.listObjectsV2(request -> request.bucket("sets").prefix("train/"))
                        .keyCount())
                .isEqualTo(TRAIN.size());
        assertThat(s3.getObjectAsBytes(request -> request.bucket("evicted").key(TRAIN.getFirst()))
                        .asByteArray())
                .isEqualTo(Content.of(TRAIN.getFirst(), SIZE));
    }

    @Test
    void refreshBringsWhatOthersChangedInTheCloud() throws IOException {
        var keys = keys("moving");
        keys.forEach(key -> change(key, key));
        cached("renewed", Running.PROFILE);
        requireRefreshRefused("no object matches", "renewed");
        requireRefreshRefused("NoSuchBucket", "none");
        cluster.run("prefetch", "renewed/moving/", "--wait");
        keys.subList(0, 10).forEach(key -> change(key, "new " + key));
        cloud.deleteObject(request -> request.bucket("sets").key(keys.getLast()));
        assertThat(cluster.run("refresh", "renewed", "--dry-run").outText())
                .contains("11 changed in the cloud", "19 unchanged, 0 failed");
        requireContent("renewed", keys.getFirst(), keys.getFirst());

        network.holdAnswers("/sets/moving/");
        long before = fetches("/sets/moving/");
        String id;
        try {
            id = cluster.run("refresh", "renewed/moving/").outText().strip();
            Eventually.holds(SOON, () -> assertThat(fetches("/sets/moving/")).isGreaterThan(before));
            var killed = cluster.targets().getLast().id();
            cluster.kill(killed);
            cluster.node("start", killed);
        } finally {
            network.release();
        }
        assertThat(cluster.run("job", "wait", id).outText()).contains("0 failed");
        keys.subList(0, 10).forEach(key -> requireContent("renewed", key, "new " + key));
        keys.subList(10, 29).forEach(key -> requireContent("renewed", key, key));
        requireGone("renewed", keys.getLast());
    }

    @Test
    void bucketNoticesChangesWithinItsTime() {
        var key = "noticed/shard.tar";
        change(key, "old");
        cached("noticing", Running.PROFILE);
        requireContent("noticing", key, "old");
        Eventually.holds(SOON, () -> assertThat(cluster.objectFiles("noticing")).hasSize(1));
        change(key, "new");
        requireContent("noticing", key, "old");
        cluster.run("bucket", "set", "noticing", "--revalidate", "1s");
        Eventually.holds(SOON, () -> requireContent("noticing", key, "new"));
        Eventually.holds(SOON, () -> assertThat(cluster.objectFiles("noticing")).hasSize(1));
        network.cut();
        try {
            Eventually.holds(SOON, () -> {
                requireContent("noticing", key, "new");
                assertThat(attempt("bucket", "show", "noticing").outText())
                        .containsPattern("[1-9]\\d* requests were served what is cached");
            });
            cluster.run("bucket", "set", "noticing", "--revalidate", "always");
            Eventually.holds(
                    SOON,
                    () -> assertThatThrownBy(() -> content("noticing", key))
                            .isInstanceOfSatisfying(
                                    S3Exception.class,
                                    e -> assertThat(e.statusCode()).isEqualTo(503)));
        } finally {
            network.repair();
        }
        cloud.deleteObject(request -> request.bucket("sets").key(key));
        assertThat(cluster.run("ls", "noticing/noticed/").outText()).doesNotContain("shard.tar");
        Eventually.holds(SOON, () -> requireGone("noticing", key));
    }

    private long fetches(String path) {
        return network.requests().stream()
                .filter(line -> line.startsWith("GET " + path))
                .count();
    }

    private void change(String key, String content) {
        cloud.putObject(request -> request.bucket("sets").key(key), RequestBody.fromBytes(Content.of(content, SIZE)));
    }

    private byte[] content(String bucket, String key) {
        return s3.getObjectAsBytes(request -> request.bucket(bucket).key(key)).asByteArray();
    }

    private void requireContent(String bucket, String key, String content) {
        assertThat(content(bucket, key)).as(key).isEqualTo(Content.of(content, SIZE));
    }

    private void requireGone(String bucket, String key) {
        assertThatThrownBy(() -> content(bucket, key))
                .isInstanceOfSatisfying(
                        S3Exception.class, e -> assertThat(e.statusCode()).isEqualTo(404));
    }

    private void requireRefreshRefused(String reason, String path) {
        var finished = attempt("refresh", path, "--wait");
        assertThat(finished.exit()).as(finished.outText() + finished.err()).isEqualTo(1);
        assertThat(finished.err()).contains(reason);
    }

    private void requireEvictRefused(int exit, String reason, String... arguments) {
        var all = new ArrayList<>(List.of(arguments));
        all.addFirst("evict");
        var finished = attempt(all.toArray(String[]::new));
        assertThat(finished.exit()).as(finished.outText() + finished.err()).isEqualTo(exit);
        assertThat(finished.err()).contains(reason);
    }

    private void requireRefused(String reason, String path) {
        var finished = cluster.attempt(Map.of(), "prefetch", path, "--wait");
        assertThat(finished.exit()).as(finished.outText() + finished.err()).isEqualTo(1);
        assertThat(finished.err()).contains(reason);
    }

    @Tag("long")
    @Test
    void dryRunFetchesNothingAndASecondPrefetchSkips() throws IOException {
        assertThat(cluster.run("prefetch", "sets/train/", "--dry-run").outText())
                .contains("30 to fetch", "0 cached already");
        assertThat(cluster.objectFiles("sets"))
                .noneMatch(file -> file.toString().contains("/train/"));
        assertThat(cluster.run("prefetch", "sets/train/", "--wait").outText())
                .contains("done: 30 fetched", "2.9 MiB", "0 failed");
        requireCached(TRAIN);
        var again = JSON.readTree(
                cluster.run("prefetch", "sets/train/", "--wait", "--json").outText());
        assertThat(again.path("skipped").asInt()).isEqualTo(30);
        assertThat(cluster.run("prefetch", "sets", "--template", "train/shard-{00..29}.tar", "--wait")
                        .outText())
                .contains("0 fetched", "30 cached already");
        var missing = attempt("prefetch", "sets", "--template", "train/shard-{29..30}.tar", "--wait");
        assertThat(missing.exit()).isEqualTo(1);
        assertThat(missing.err()).contains("train/shard-30.tar: ", "does not exist");
        assertThat(attempt("prefetch", "sets", "--template", "{9..1}", "--wait").err())
                .contains("{9..1} is empty");
        assertThat(cluster.run("job", "ls").outText()).contains(again.path("id").asText(), "sets/train/", "(dry run)");
    }

    @Tag("long")
    @Test
    void stoppedJobEndsAndFailsTheCommandThatWaits() {
        cached("others", Running.PROFILE);
        network.holdAnswers("/sets/");
        try {
            var id = cluster.run("prefetch", "others/train/").outText().strip();
            assertThat(cluster.run("job", "stop", id).outText()).contains("stopped");
            assertThat(attempt("job", "wait", id).exit()).isEqualTo(1);
            assertThat(cluster.run("job", "show", id).outText()).contains("others/train/", "stopped");
            assertThat(attempt("job", "stop", "prefetch-1").err()).contains("NoSuchJob");
        } finally {
            network.release();
        }
    }
}
