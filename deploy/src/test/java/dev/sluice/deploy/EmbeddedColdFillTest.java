package dev.sluice.deploy;

import dev.sluice.deploy.harness.Mode;
import dev.sluice.deploy.harness.Running;
import dev.sluice.deploy.harness.SluiceCluster;

/// Cold fill where proxy and targets are one process.
final class EmbeddedColdFillTest extends ColdFillTests {
    EmbeddedColdFillTest(@Running(Mode.EMBEDDED) SluiceCluster cluster) {
        super(cluster);
    }
}
