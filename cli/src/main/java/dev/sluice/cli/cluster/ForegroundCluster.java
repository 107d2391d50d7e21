package dev.sluice.cli.cluster;

import dev.sluice.cli.failure.CommandFailure;
import java.time.Duration;

/// `up --foreground`: the command stays until it is interrupted, and then stops the cluster.
public final class ForegroundCluster {
    private static final long LOOK_AGAIN_MILLIS = 200;

    private ForegroundCluster() {}

    public static void await(Layout layout, ClusterFile cluster, Duration grace) {
        try {
            while (true) {
                Thread.sleep(LOOK_AGAIN_MILLIS);
                var now = ClusterFile.read(layout.clusterFile());
                if (now.isEmpty()) {
                    return;
                }
                if (!cluster.started().separate() && !now.get().anyAlive()) {
                    var log = cluster.nodes().getFirst().log();
                    throw CommandFailure.failed("the cluster ended by itself; its log is " + log);
                }
            }
        } catch (InterruptedException told) {
            new ClusterDown(layout).down(grace);
        }
    }
}
