package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deploy.harness.ClusterNode;
import dev.sluice.deploy.harness.Eventually;
import dev.sluice.deploy.harness.SluiceCluster;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;

/// Two of three controllers have lost their parts of the log: an operator begins it again from the third one's.
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class RecoverTest {
    private static final String REPLICATED = "replicated";
    private static final String PLAIN = "plain";
    private static final List<String> KEYS =
            IntStream.range(0, 50).mapToObj("key-%02d"::formatted).toList();
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final int REFUSED = 2;

    @TempDir
    private Path folder;

    private static void put(S3Client s3, String bucket, String key) {
        s3.putObject(request -> request.bucket(bucket).key(key), RequestBody.fromBytes(Content.of(key, 1000)));
    }

    private static void requireThere(S3Client s3, String bucket, String key) {
        assertThat(s3.getObjectAsBytes(request -> request.bucket(bucket).key(key))
                        .asByteArray())
                .as(key)
                .isEqualTo(Content.of(key, 1000));
    }

    private static void loseLog(SluiceCluster cluster, ClusterNode target) throws IOException {
        int lost = 0;
        for (var drive : cluster.drives(target)) {
            var raft = drive.resolve(".sluice/control/raft");
            if (Files.exists(raft)) {
                lost++;
                try (var all = Files.walk(raft)) {
                    for (var each : all.toList().reversed()) {
                        Files.delete(each);
                    }
                }
            }
        }
        assertThat(lost).as("%s was a controller", target.id()).isEqualTo(1);
    }

    @Test
    void clusterGoesOnFromTheOneLogThatIsLeft() throws Exception {
        try (var cluster = SluiceCluster.start(
                        folder.resolve("cluster"), Map.of(), "--separate", "--targets", "3", "--drives", "2");
                var s3 = cluster.endpoint().client()) {
            cluster.run("bucket", "create", REPLICATED, "--replicas", "2");
            cluster.run("bucket", "create", PLAIN, "--replicas", "1");
            for (var bucket : List.of(REPLICATED, PLAIN)) {
                Eventually.holds(SOON, () -> put(s3, bucket, KEYS.getFirst()));
                KEYS.forEach(key -> put(s3, bucket, key));
            }
            var last = cluster.targets().get(2);
            var from = Objects.requireNonNull(cluster.drives(last).getFirst().getParent())
                    .toString();
            var locked = cluster.offline("cluster", "recover", "--from", from, "--yes");
            assertThat(locked.exit()).isEqualTo(REFUSED);
            assertThat(locked.err()).contains("is in use by process", "stop the node first");
            cluster.down();
            loseLog(cluster, cluster.targets().get(0));
            loseLog(cluster, cluster.targets().get(1));

            var unsure = cluster.offline("cluster", "recover", "--from", from);
            assertThat(unsure.exit()).isEqualTo(REFUSED);
            assertThat(unsure.err()).contains("Confirm it with --yes");
            assertThat(unsure.outText()).contains(last.id(), "Stop ALL nodes", "What may be lost");
            var running = cluster.targets().getFirst().url();
            try (var _ = new ServerSocket(running.getPort(), 16, InetAddress.getByName(running.getHost()))) {
                var other = cluster.offline("cluster", "recover", "--from", from, "--yes");
                assertThat(other.exit()).isEqualTo(REFUSED);
                assertThat(other.err())
                        .contains(cluster.targets().getFirst().id() + " at ", "answer: stop all nodes first");
                var dry = cluster.offline(
                        "cluster", "recover", "--from", from, "--although-answering", "--yes", "--dry-run");
                assertThat(dry.exit()).isZero();
                assertThat(dry.outText())
                        .contains("still runs: " + cluster.targets().getFirst().id());
            }
            cluster.offline("cluster", "recover", "--from", from, "--yes").orFail("");

            cluster.up();
            try (var after = cluster.endpoint().client()) {
                for (var bucket : List.of(REPLICATED, PLAIN)) {
                    for (var key : KEYS) {
                        Eventually.holds(SOON, () -> requireThere(after, bucket, key));
                    }
                }
                cluster.run("bucket", "create", "new", "--replicas", "2");
                Eventually.holds(SOON, () -> put(after, "new", "key"));
                requireThere(after, "new", "key");
                put(after, REPLICATED, "key-new");
                requireThere(after, REPLICATED, "key-new");
                Eventually.holds(
                        SOON, () -> assertThat(cluster.run("status").outText()).doesNotContain("as a controller"));
            }
        }
    }
}
