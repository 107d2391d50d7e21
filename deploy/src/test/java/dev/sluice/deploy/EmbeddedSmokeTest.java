package dev.sluice.deploy;

import dev.sluice.deploy.harness.Clients;
import dev.sluice.deploy.harness.Mode;
import dev.sluice.deploy.harness.Running;
import dev.sluice.deploy.harness.SluiceCluster;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// One client against proxy and targets in one process; the others meet one process per node, and are long here.
@Tag("peers")
final class EmbeddedSmokeTest {
    @Test
    void boto3IsServed(@Running(Mode.EMBEDDED) SluiceCluster cluster) {
        Clients.BOTO3.check(cluster.endpoint(), Map.of());
    }
}
