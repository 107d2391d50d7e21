package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deploy.harness.Mode;
import dev.sluice.deploy.harness.Running;
import dev.sluice.deploy.harness.SluiceCluster;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.sync.RequestBody;

/// Nodes that are stopped one by one, as in an upgrade.
@Tag("shared")
final class OrderlyStopTest {
    @Test
    void eachNodeStopsWithoutWaitingForTheOthersAndClosesItsDrives(@Running(Mode.SEPARATE) SluiceCluster cluster) {
        try (var s3 = cluster.endpoint().client()) {
            s3.createBucket(request -> request.bucket("kept"));
            s3.putObject(request -> request.bucket("kept").key("k"), RequestBody.fromBytes(Content.of("k", 1000)));
            for (var id : new String[] {"target001", "target002", "proxy001"}) {
                int before = cluster.log(id).length();
                cluster.node("stop", id);
                assertThat(cluster.log(id).substring(before))
                        .as("after the stop of " + id)
                        .contains(" stopped")
                        .doesNotContain(" ERROR ", "leaves requests unfinished");
                cluster.node("start", id);
            }
            assertThat(s3.getObjectAsBytes(request -> request.bucket("kept").key("k"))
                            .asByteArray())
                    .isEqualTo(Content.of("k", 1000));
        }
    }
}
