package dev.sluice.deploy;

import dev.sluice.deploy.harness.Mode;
import dev.sluice.deploy.harness.Running;
import dev.sluice.deploy.harness.SluiceCluster;
import org.junit.jupiter.api.Tag;

/// Cold fill where proxy and targets are processes of their own.
@Tag("shared")
final class SeparateColdFillTest extends ColdFillTests {
    SeparateColdFillTest(@Running(Mode.SEPARATE) SluiceCluster cluster) {
        super(cluster);
    }
}
