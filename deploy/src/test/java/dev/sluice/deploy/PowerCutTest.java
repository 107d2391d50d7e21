package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deploy.harness.ClusterNode;
import dev.sluice.deploy.harness.Eventually;
import dev.sluice.deploy.harness.Finished;
import dev.sluice.deploy.harness.MountedImage;
import dev.sluice.deploy.harness.SluiceCluster;
import dev.sluice.testing.PromiseBroken;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.Bucket;

/// The power of the drives is cut under load: what was acknowledged is there afterwards. The kernel's own file systems
/// lose here what was not synced, data and names.
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class PowerCutTest {
    private static final long IMAGE = 600L << 20;
    private static final int CONTROLLERS = 3;
    private static final int CONTROLLERS_CUTS = 10;
    private static final int BUCKETS_BEFORE_A_CUT = 5;
    private static final Logger LOG = LoggerFactory.getLogger(PowerCutTest.class);
    private static final int WRITERS = 6;
    private static final int ACKNOWLEDGED_BEFORE_A_CUT = 150;
    private static final Duration COMMAND = Duration.ofSeconds(30);
    private static final Duration RECOVERY = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    @Test
    void whatWasAcknowledgedSurvivesAPowerCut() throws Exception {
        cut(MountedImage.Kind.EXT4, 1, 2, AcknowledgedWrites::completePending, "--replicas", "1");
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource
    void whatWasAcknowledgedSurvivesManyPowerCuts(MountedImage.Kind kind) throws Exception {
        cut(kind, 25, 2, AcknowledgedWrites::completePending, "--replicas", "1");
    }

    /// All targets at the same moment.
    @Tag("long")
    @Test
    void whatWasAcknowledgedInSlicesSurvivesPowerCutsOfAllTargets() throws Exception {
        cut(MountedImage.Kind.EXT4, 8, 3, AcknowledgedWrites::completeThoseThatAreLeft, "--ec", "2+1");
    }

    /// All three controllers lose power at the same moment, each time while buckets are created.
    @Tag("long")
    @Test
    void bucketsThatWereAcknowledgedSurvivePowerCutsOfAllControllers() throws Exception {
        var created = new CopyOnWriteArrayList<String>();
        try (var image = MountedImage.make(MountedImage.Kind.EXT4, folder, IMAGE);
                var cluster = image.cluster(folder.resolve("cluster"), CONTROLLERS, "8MiB");
                var s3 = cluster.endpoint().client()) {
            for (int round = 0; round < CONTROLLERS_CUTS; round++) {
                var name = "round%d-".formatted(round);
                int before = created.size();
                var writer = CompletableFuture.runAsync(() -> createBuckets(s3, name, created));
                Eventually.holds(RECOVERY, () -> assertThat(created).hasSizeGreaterThan(before + BUCKETS_BEFORE_A_CUT));
                cutPower(cluster, image);
                writer.get(1, TimeUnit.MINUTES);
                image.mountAgain();
                cluster.up();
                var kept = Eventually.within(RECOVERY, () -> s3.listBuckets().buckets()).stream()
                        .map(Bucket::name)
                        .toList();
                PromiseBroken.check(() -> assertThat(kept).containsAll(created));
            }
        }
    }

    /// Until one is not acknowledged.
    private static void createBuckets(S3Client s3, String prefix, List<String> created) {
        try {
            for (int i = 0; ; i++) {
                var name = prefix + i;
                s3.createBucket(request -> request.bucket(name));
                created.add(name);
            }
        } catch (SdkException cut) {
            LOG.info("no bucket after {}: {}", created.getLast(), cut.getMessage());
        }
    }

    private void cut(
            MountedImage.Kind kind, int times, int targets, Consumer<AcknowledgedWrites> uploads, String... bucket)
            throws Exception {
        try (var image = MountedImage.make(kind, folder, targets * IMAGE / 2);
                var cluster = image.cluster(folder.resolve("cluster"), targets, "8MiB");
                var s3 = cluster.endpoint().client()) {
            cluster.run(Stream.concat(Stream.of("bucket", "create", "cut"), Stream.of(bucket))
                    .toArray(String[]::new));
            var writes = new AcknowledgedWrites(s3, "cut");
            for (int round = 0; round < times; round++) {
                writeUntilTheCut(cluster, image, writes, round);
                image.mountAgain();
                cluster.up();
                awaitServed(cluster);
                writes.verify();
                uploads.accept(writes);
                Eventually.holds(
                        RECOVERY,
                        () -> assertThat(cluster.workFiles())
                                .as("work files left")
                                .isEmpty());
            }
        }
    }

    /// Where there are slots.
    private static void awaitServed(SluiceCluster cluster) {
        Eventually.holds(
                RECOVERY,
                () -> assertThat(cluster.attempt(Map.of(), "status").latin1())
                        .doesNotContainPattern("[1-9]\\d* not served"));
    }

    private static void writeUntilTheCut(
            SluiceCluster cluster, MountedImage image, AcknowledgedWrites writes, int round) throws Exception {
        try (var load = new Load()) {
            writes.beginUpload("upload/" + round);
            load.withWriters(writes, WRITERS, round);
            load.awaitAcknowledged(ACKNOWLEDGED_BEFORE_A_CUT);
            cutPower(cluster, image);
            load.stop();
        }
    }

    private static void cutPower(SluiceCluster cluster, MountedImage image) {
        var pids = cluster.nodes().stream().map(ClusterNode::pid).distinct().toList();
        signal("-STOP", pids);
        image.cutPower();
        signal("-KILL", pids);
        for (var pid : pids) {
            ProcessHandle.of(pid)
                    .ifPresent(process ->
                            process.onExit().orTimeout(30, TimeUnit.SECONDS).join());
        }
    }

    private static void signal(String which, List<Long> pids) {
        var command = new ArrayList<>(List.of("kill", which));
        pids.forEach(pid -> command.add(Long.toString(pid)));
        Finished.run(COMMAND, Map.of(), command).orFail("");
    }
}
