package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deploy.harness.ClusterNode;
import dev.sluice.deploy.harness.Eventually;
import dev.sluice.deploy.harness.SluiceCluster;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.services.s3.S3Client;

/// Targets are killed under load, again and again. What was acknowledged is there afterwards, nothing is there by
/// halves, and nobody is told meanwhile that something does not exist.
@Tag("alone")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class CrashTest {
    private static final int WRITERS = 3;
    private static final int STEADY = 24;
    private static final int SERVICE_UNAVAILABLE = 503;
    private static final Duration WHILE_ONE_STARTS = Duration.ofMillis(30);
    private static final Duration RECOVERY = Duration.ofSeconds(30);

    /// Within this every request is answered, also those for a dead target.
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    @TempDir
    private Path folder;

    @Test
    void whatWasAcknowledgedSurvivesAKill() throws Exception {
        kill(1, (_, _) -> {});
    }

    @Tag("long")
    @Test
    void whatWasAcknowledgedSurvivesManyKillsAndAnOrderlyRestart() throws Exception {
        kill(25, (cluster, buckets) -> {
            cluster.down();
            cluster.up();
            buckets.forEach(AcknowledgedWrites::verify);
        });
    }

    private interface Afterwards {
        void run(SluiceCluster cluster, List<AcknowledgedWrites> buckets);
    }

    private void kill(int times, Afterwards afterwards) throws Exception {
        try (var cluster = SluiceCluster.start(
                        folder.resolve("cluster"), Map.of(), "--separate", "--targets", "2", "--no-auth");
                var s3 = cluster.endpoint().client()) {
            var buckets = List.of(bucket(cluster, s3, "synced", "fsync"), bucket(cluster, s3, "handed-over", "os"));
            for (int round = 0; round < times; round++) {
                killUnderLoad(cluster, buckets, round);
                for (var writes : buckets) {
                    writes.verify();
                    writes.completePending();
                    assertThat(writes.slowest())
                            .as("the longest wait for an answer")
                            .isLessThan(PATIENCE);
                    assertThat(writes.refusals())
                            .as("how a dead target's requests were refused")
                            .containsExactly(SERVICE_UNAVAILABLE);
                }
                Eventually.holds(
                        RECOVERY,
                        () -> assertThat(cluster.workFiles())
                                .as("work files left")
                                .isEmpty());
            }
            afterwards.run(cluster, buckets);
        }
    }

    /// With some objects that never change: nobody's reading of them may fail but by a refusal.
    private static AcknowledgedWrites bucket(SluiceCluster cluster, S3Client s3, String name, String durability)
            throws IOException, InterruptedException {
        cluster.run("bucket", "create", name, "--replicas", "1");
        try (var http = HttpClient.newHttpClient()) {
            var change = "{\"action\":\"set-bprops\",\"value\":{\"durability\":\"%s\"}}".formatted(durability);
            var answer = http.send(
                    HttpRequest.newBuilder(cluster.endpoint().url().resolve("/v1/buckets/" + name))
                            .method("PATCH", HttpRequest.BodyPublishers.ofString(change))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        }
        var writes = new AcknowledgedWrites(s3, name);
        for (int i = 0; i < STEADY; i++) {
            assertThat(writes.put("steady/" + i, i * 1000)).isTrue();
        }
        return writes;
    }

    private static void readSteady(AcknowledgedWrites writes) {
        for (int i = 0; i < STEADY; i++) {
            writes.read("steady/" + i);
        }
        writes.readListing("steady/");
    }

    /// The load goes on while a target is dead, and while it comes back.
    private static void killUnderLoad(SluiceCluster cluster, List<AcknowledgedWrites> buckets, int round)
            throws Exception {
        var random = new Random(round);
        try (var load = new Load()) {
            for (var writes : buckets) {
                writes.beginUpload("upload/" + round);
                load.withWriters(writes, WRITERS, random.nextInt()).with(() -> readSteady(writes));
            }
            load.awaitAcknowledged(50 + random.nextInt(250));
            var victims = victims(cluster, round);
            victims.forEach(cluster::kill);
            load.pace(WHILE_ONE_STARTS);
            victims.forEach(victim -> cluster.node("start", victim));
            load.awaitAcknowledged(50);
            load.stop();
        }
    }

    /// One or the other; every third time both.
    private static List<String> victims(SluiceCluster cluster, int round) {
        var targets = cluster.targets().stream().map(ClusterNode::id).sorted().toList();
        int turn = round % (targets.size() + 1);
        return turn == targets.size() ? targets : List.of(targets.get(turn));
    }
}
