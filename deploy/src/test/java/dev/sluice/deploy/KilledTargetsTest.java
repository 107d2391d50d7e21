package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.backend.peers.RequiresPeer;
import dev.sluice.deploy.harness.Clients;
import dev.sluice.deploy.harness.SluiceCluster;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Client programs on a bucket as CreateBucket makes it, while one target after the other is killed and started again.
@Tag("long")
@RequiresPeer({"python", "aws", "s5cmd"})
@Timeout(value = 6, unit = TimeUnit.MINUTES)
final class KilledTargetsTest {
    private static final int SECONDS = 100;
    private static final long EACH_MILLIS = 10_000;
    private static final int KILLS = 8;

    @TempDir
    private Path folder;

    @Test
    void clientsSeeNoWrongByteAndNoErrorBut503() throws Exception {
        try (var cluster = SluiceCluster.start(
                folder.resolve("cluster"), Map.of(), "--separate", "--targets", "3", "--drives", "1")) {
            var programs = CompletableFuture.runAsync(() -> Clients.underKills(cluster.endpoint(), SECONDS));
            int round = 0;
            for (; !programs.isDone() && round < KILLS; round++) {
                var victim = cluster.targets().get(round % 3).id();
                long began = System.nanoTime();
                cluster.node("kill", victim);
                cluster.node("start", victim);
                long left = EACH_MILLIS - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
                if (left > 0) { // the pace of the kills; nothing waits for it
                    programs.exceptionally(_ -> null)
                            .completeOnTimeout(null, left, TimeUnit.MILLISECONDS)
                            .join();
                }
            }
            programs.get();
            assertThat(round).as("kills").isEqualTo(KILLS);
        }
    }
}
