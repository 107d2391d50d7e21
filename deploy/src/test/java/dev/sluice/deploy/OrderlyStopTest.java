package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deploy.harness.SluiceCluster;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;

/// Nodes that are stopped one by one, as in an upgrade.
final class OrderlyStopTest {
    @TempDir
    private Path folder;

    @Test
    void eachNodeStopsWithoutWaitingForTheOthersAndClosesItsDrives() {
        try (var cluster = SluiceCluster.start(folder.resolve("cluster"), Map.of(), "--separate", "--targets", "2");
                var s3 = cluster.endpoint().client()) {
            s3.createBucket(request -> request.bucket("kept"));
            s3.putObject(request -> request.bucket("kept").key("k"), RequestBody.fromBytes(Content.of("k", 1000)));
            for (var id : new String[] {"target001", "target002", "proxy001"}) {
                cluster.node("stop", id);
                assertThat(cluster.lastWords())
                        .as("after the stop of " + id)
                        .doesNotContain(" ERROR ", "leaves requests unfinished");
                cluster.node("start", id);
            }
            assertThat(s3.getObjectAsBytes(request -> request.bucket("kept").key("k"))
                            .asByteArray())
                    .isEqualTo(Content.of("k", 1000));
        }
    }
}
