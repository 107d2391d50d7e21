package dev.sluice.deploy;

import dev.sluice.deploy.harness.Endpoint;
import dev.sluice.deploy.harness.Mode;
import dev.sluice.deploy.harness.Running;
import dev.sluice.deploy.harness.SluiceCluster;
import java.util.Map;
import org.junit.jupiter.api.Tag;

/// All clients against proxy and targets in one process; each command of aws-cli is a start of that program.
@Tag("shared")
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

    @Override
    Map<String, String> environment() {
        return Map.of("SLUICE_AWS_CLI_STARTS", "1");
    }
}
