package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deploy.harness.Mode;
import dev.sluice.deploy.harness.Running;
import dev.sluice.deploy.harness.SluiceCluster;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.sync.RequestBody;

/// What an operator sees of the resilvers of a cluster whose drives do not change, with the commands of the handbook.
@Tag("shared")
final class ResilverTest {
    @Test
    void aTargetIsLookedAtOnDemandAndStopped(@Running(Mode.SEPARATE) SluiceCluster cluster) throws Exception {
        try (var s3 = cluster.endpoint().client()) {
            cluster.run("bucket", "create", "resilvered", "--replicas", "1");
            for (int i = 0; i < 30; i++) {
                var key = "k" + i;
                s3.putObject(
                        request -> request.bucket("resilvered").key(key), RequestBody.fromBytes(Content.of(key, 9)));
            }
            var done = cluster.run("resilver", "start", "--wait").outText();
            assertThat(done).containsPattern("TARGET +STATE +OBJECTS +MOVED");
            assertThat(done).containsPattern("target003 +idle +(\\d+) of \\1 +0 +0 B");
            assertThat(cluster.run("resilver", "stop", "--target", "target002").outText())
                    .contains("target002", "stopped")
                    .doesNotContain("target001");
            assertThat(cluster.run("resilver", "status", "--wait", "--json").outText())
                    .contains("\"state\" : \"stopped\"", "\"settled\" : true", "\"moved_objects\" : 0");
            cluster.node("stop", "target002");
            cluster.node("start", "target002");
            assertThat(cluster.run("resilver", "status", "--wait").outText())
                    .as("a stop does not outlive the target")
                    .doesNotContain("stopped")
                    .contains("target002");
        }
    }
}
