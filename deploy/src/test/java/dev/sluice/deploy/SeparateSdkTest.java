package dev.sluice.deploy;

import dev.sluice.deploy.harness.Mode;
import dev.sluice.deploy.harness.Running;
import dev.sluice.deploy.harness.SluiceCluster;
import org.junit.jupiter.api.Tag;

/// The AWS SDK against one process per node.
@Tag("shared")
final class SeparateSdkTest extends AwsSdkForJavaTests {
    SeparateSdkTest(@Running(Mode.SEPARATE) SluiceCluster cluster) {
        super(cluster.endpoint());
    }
}
