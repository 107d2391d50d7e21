package dev.sluice.cli.cluster;

import dev.sluice.cli.CommandFailure;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// `up --foreground`: the command stays until it is told to stop, and then stops the cluster.
public final class ForegroundCluster {
    private ForegroundCluster() {}

    public static int await(Layout layout, ClusterFile cluster, Duration grace) throws InterruptedException {
        var told = new CountDownLatch(1);
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            told.countDown();
                            new ClusterDown(layout).down(grace);
                        },
                        "down"));
        while (!told.await(200, TimeUnit.MILLISECONDS)) {
            var now = ClusterFile.read(layout.clusterFile());
            if (now.isEmpty()) {
                return 0;
            }
            var single = !cluster.started().separate();
            if (single && !now.get().anyAlive()) {
                throw CommandFailure.failed("the cluster ended by itself; its log is "
                        + cluster.nodes().getFirst().log());
            }
        }
        return 0;
    }
}
