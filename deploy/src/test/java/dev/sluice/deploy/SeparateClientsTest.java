package dev.sluice.deploy;

import dev.sluice.deploy.harness.Mode;
import dev.sluice.deploy.harness.Running;
import dev.sluice.deploy.harness.SluiceCluster;
import java.util.Map;

/// All clients against one process per node: through the proxy's relay, or redirected.
final class SeparateClientsTest extends ClientsTests {
    SeparateClientsTest(@Running(Mode.SEPARATE) SluiceCluster cluster) {
        super(cluster.endpoint(), Map.of());
    }
}
