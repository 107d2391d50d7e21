package dev.sluice.deploy;

import dev.sluice.deploy.harness.Mode;
import dev.sluice.deploy.harness.Running;
import dev.sluice.deploy.harness.SluiceCluster;
import java.util.Map;

/// All clients against proxy and targets in one process.
final class EmbeddedClientsTest extends ClientsTests {
    EmbeddedClientsTest(@Running(Mode.EMBEDDED) SluiceCluster cluster) {
        super(cluster.endpoint(), Map.of());
    }
}
