package dev.sluice.deploy;

import dev.sluice.deploy.harness.Endpoint;
import dev.sluice.deploy.harness.Mode;
import dev.sluice.deploy.harness.Running;
import dev.sluice.deploy.harness.SluiceCluster;
import org.junit.jupiter.api.Tag;

/// All clients against proxy and targets in one process.
@Tag("long")
final class EmbeddedClientsTest extends ClientsTests {
    private final Endpoint endpoint;

    EmbeddedClientsTest(@Running(Mode.EMBEDDED) SluiceCluster cluster) {
        this.endpoint = cluster.endpoint();
    }

    @Override
    Endpoint endpoint() {
        return endpoint;
    }
}
