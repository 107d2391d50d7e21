package dev.sluice.deploy;

import dev.sluice.deploy.harness.Endpoint;
import dev.sluice.deploy.harness.Mode;
import dev.sluice.deploy.harness.Running;
import dev.sluice.deploy.harness.SluiceCluster;
import java.util.Map;
import org.junit.jupiter.api.Tag;

/// All clients on buckets with an erasure code: they see no difference.
@Tag("shared")
@Tag("long")
final class CodedClientsTest extends ClientsTests {
    private final Endpoint endpoint;

    CodedClientsTest(@Running(Mode.SEPARATE) SluiceCluster cluster) {
        this.endpoint = cluster.endpoint();
    }

    @Override
    Endpoint endpoint() {
        return endpoint;
    }

    @Override
    Map<String, String> environment() {
        return Map.of("SLUICE_EC", "2+1");
    }
}
