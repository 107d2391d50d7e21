package dev.sluice.deploy;

import dev.sluice.deploy.harness.Mode;
import dev.sluice.deploy.harness.Running;
import dev.sluice.deploy.harness.SluiceCluster;
import org.junit.jupiter.api.Tag;

/// Cold fill where proxy and targets are one process.
@Tag("shared")
@Tag("long")
final class EmbeddedColdFillTest extends ColdFillTests {
    EmbeddedColdFillTest(@Running(Mode.EMBEDDED) SluiceCluster cluster) {
        super(cluster);
    }
}
