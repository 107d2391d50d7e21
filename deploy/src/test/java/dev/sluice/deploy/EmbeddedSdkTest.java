package dev.sluice.deploy;

import dev.sluice.deploy.harness.Mode;
import dev.sluice.deploy.harness.Running;
import dev.sluice.deploy.harness.SluiceCluster;
import org.junit.jupiter.api.Tag;

/// The AWS SDK against proxy and targets in one process.
@Tag("long")
@Tag("shared")
final class EmbeddedSdkTest extends AwsSdkForJavaTests {
    EmbeddedSdkTest(@Running(Mode.EMBEDDED) SluiceCluster cluster) {
        super(cluster.endpoint());
    }
}
