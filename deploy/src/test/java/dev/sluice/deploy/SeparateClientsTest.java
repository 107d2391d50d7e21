package dev.sluice.deploy;

import dev.sluice.deploy.harness.Endpoint;
import dev.sluice.deploy.harness.Mode;
import dev.sluice.deploy.harness.Running;
import dev.sluice.deploy.harness.SluiceCluster;
import org.junit.jupiter.api.Tag;

/// All clients against one process per node: through the proxy's relay, or redirected.
@Tag("shared")
final class SeparateClientsTest extends ClientsTests {
    private final Endpoint endpoint;

    SeparateClientsTest(@Running(Mode.SEPARATE) SluiceCluster cluster) {
        this.endpoint = cluster.endpoint();
    }

    @Override
    Endpoint endpoint() {
        return endpoint;
    }
}
