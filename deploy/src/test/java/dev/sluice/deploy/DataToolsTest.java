package dev.sluice.deploy;

import dev.sluice.deploy.harness.DataTools;
import dev.sluice.deploy.harness.Mode;
import dev.sluice.deploy.harness.Running;
import dev.sluice.deploy.harness.SluiceCluster;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// smart_open, Lance, MLflow, DVC and rclone at their usual jobs (`deploy/peers install long`).
@Tag("shared")
@Tag("long")
@Tag("peers")
final class DataToolsTest {
    private final SluiceCluster cluster;

    DataToolsTest(@Running(Mode.SEPARATE) SluiceCluster cluster) {
        this.cluster = cluster;
    }

    @ParameterizedTest
    @EnumSource
    void job(DataTools tool) {
        tool.check(cluster.endpoint());
    }
}
