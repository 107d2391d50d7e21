package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deploy.harness.Eventually;
import dev.sluice.deploy.harness.SluiceCluster;
import dev.sluice.testing.Notes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.BucketAlreadyOwnedByYouException;

/// The controller that leads stands still for a while, and goes on as if it still led: another one leads meanwhile, and
/// what the old one knew has no effect. Its target has a lease no more.
@Tag("long")
@Tag("alone")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
final class FrozenLeaderTest {
    private static final String BUCKET = "replicated";
    private static final int KEYS = 200;
    private static final int CLIENTS = 3;
    private static final int STEPS = 20;
    private static final long SEED = 28;
    private static final Pattern LEADS = Pattern.compile("(target\\d+) \\(leads\\)");
    private static final Duration CHANGED = Duration.ofSeconds(10);
    private static final Duration REPAIR = Duration.ofSeconds(90);

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(ints = {3, 90})
    void whatItKnewHasNoEffectWhenItGoesOn(int seconds) throws Exception {
        try (var cluster = SluiceCluster.start(folder.resolve("cluster"), Map.of(), "--separate", "--targets", "3");
                var s3 = cluster.endpoint().client()) {
            cluster.run("bucket", "create", BUCKET, "--replicas", "2");
            awaitFull(cluster);
            try (var load = new ReplicatedLoad(s3, BUCKET, KEYS).start(CLIENTS, CLIENTS, SEED)) {
                load.awaitSteps(STEPS);
                var old = leader(cluster);
                cluster.freeze(old);
                var thawed = CompletableFuture.runAsync(
                        () -> cluster.thaw(old), CompletableFuture.delayedExecutor(seconds, TimeUnit.SECONDS));
                long begin = System.nanoTime();
                Eventually.within(CHANGED, () -> isCreated(s3));
                Notes.add("%d ms from a standstill of the leader until a bucket is created"
                        .formatted(Duration.ofNanos(System.nanoTime() - begin).toMillis()));
                load.awaitSteps(STEPS);
                thawed.get(2, TimeUnit.MINUTES);
                load.awaitSteps(STEPS);
                awaitFull(cluster);
                assertThat(leader(cluster)).isNotEqualTo(old);
                assertThat(s3.listBuckets().buckets())
                        .anyMatch(bucket -> bucket.name().equals("meanwhile"));
                load.stop();
                load.verify();
            }
        }
    }

    /// A repeated one may find what the first attempt, whose outcome was not known, has made.
    private static boolean isCreated(S3Client s3) {
        try {
            s3.createBucket(request -> request.bucket("meanwhile"));
            return true;
        } catch (BucketAlreadyOwnedByYouException _) {
            return true;
        }
    }

    /// As all controllers say that answer.
    private static String leader(SluiceCluster cluster) {
        return Eventually.within(CHANGED, () -> {
            var status = cluster.attempt(Map.of(), "status").outText();
            var leads =
                    LEADS.matcher(status).results().map(each -> each.group(1)).toList();
            assertThat(leads).as(status).hasSize(1);
            return leads.getFirst();
        });
    }

    private static void awaitFull(SluiceCluster cluster) {
        Eventually.within(REPAIR, () -> {
            var status = cluster.attempt(Map.of(), "status").outText();
            assertThat(status).contains(" 0 degraded, 0 not served");
            return status;
        });
    }
}
