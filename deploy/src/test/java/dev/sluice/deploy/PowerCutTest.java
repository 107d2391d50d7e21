package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deploy.harness.ClusterNode;
import dev.sluice.deploy.harness.Eventually;
import dev.sluice.deploy.harness.Finished;
import dev.sluice.deploy.harness.MountedImage;
import dev.sluice.deploy.harness.SluiceCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The power of the drives is cut under load: what was acknowledged is there afterwards. The kernel's own file systems
/// lose here what was not synced, data and names.
final class PowerCutTest {
    private static final long IMAGE = 600L << 20;
    private static final int WRITERS = 6;
    private static final int KEYS = 12;
    private static final int ACKNOWLEDGED_BEFORE_A_CUT = 150;
    private static final Duration COMMAND = Duration.ofSeconds(30);
    private static final Duration RECOVERY = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    private volatile boolean writing;

    @ParameterizedTest
    @EnumSource
    void whatWasAcknowledgedSurvivesPowerCuts(MountedImage.Kind kind) throws Exception {
        cut(kind, 2);
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource
    void whatWasAcknowledgedSurvivesManyPowerCuts(MountedImage.Kind kind) throws Exception {
        cut(kind, 25);
    }

    private void cut(MountedImage.Kind kind, int times) throws Exception {
        try (var image = MountedImage.make(kind, folder, IMAGE);
                var cluster = image.cluster(folder.resolve("cluster"), 2, "8MiB");
                var s3 = cluster.endpoint().client()) {
            s3.createBucket(request -> request.bucket("cut"));
            var writes = new AcknowledgedWrites(s3, "cut");
            for (int round = 0; round < times; round++) {
                writeUntilTheCut(cluster, image, writes, round);
                image.mountAgain();
                cluster.up();
                writes.verify();
                writes.completePending();
                Eventually.holds(
                        RECOVERY,
                        () -> assertThat(cluster.workFiles())
                                .as("work files left")
                                .isEmpty());
            }
        }
    }

    private void writeUntilTheCut(SluiceCluster cluster, MountedImage image, AcknowledgedWrites writes, int round)
            throws InterruptedException {
        writing = true;
        long enough = writes.count() + ACKNOWLEDGED_BEFORE_A_CUT;
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < WRITERS; i++) {
                var writer = i;
                threads.execute(() -> write(writes, writer, new Random(31L * round + writer), round));
            }
            Eventually.holds(
                    Duration.ofMinutes(2), () -> assertThat(writes.count()).isGreaterThan(enough));
            var pids = cluster.nodes().stream().map(ClusterNode::pid).distinct().toList();
            signal("-STOP", pids);
            image.cutPower();
            writing = false;
            signal("-KILL", pids);
            for (var pid : pids) {
                ProcessHandle.of(pid)
                        .ifPresent(process ->
                                process.onExit().orTimeout(30, TimeUnit.SECONDS).join());
            }
        }
    }

    private static void signal(String which, List<Long> pids) {
        var command = new ArrayList<>(List.of("kill", which));
        pids.forEach(pid -> command.add(Long.toString(pid)));
        Finished.run(COMMAND, Map.of(), command).orFail("");
    }

    /// Mostly small objects, now and then a large one or parts; old keys are written again and deleted.
    private void write(AcknowledgedWrites writes, int writer, Random random, int round) {
        if (writer == 0) {
            writes.beginUpload("upload/" + round);
        }
        while (writing) {
            var key = "%s/%d/%d".formatted(random.nextBoolean() ? "a" : "b/c", writer, random.nextInt(KEYS));
            switch (random.nextInt(10)) {
                case 0, 1, 2 -> writes.delete(key);
                case 3 -> writes.put(key, 1 << 20);
                case 4 -> writes.put("unsafe//" + key, 3000);
                default -> writes.put(key, 100 + random.nextInt(5000));
            }
        }
    }
}
