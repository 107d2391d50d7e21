package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.deploy.harness.Eventually;
import dev.sluice.deploy.harness.Mode;
import dev.sluice.deploy.harness.Running;
import dev.sluice.deploy.harness.SluiceCluster;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.model.S3Exception;

/// An operator finds damage on a drive of another process, with the commands of the handbook, and heals it.
@Tag("shared")
final class ScrubTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    @Test
    void damageIsFoundShownAndHealed(@Running(Mode.SEPARATE) SluiceCluster cluster) throws Exception {
        try (var s3 = cluster.endpoint().client()) {
            Eventually.within(SOON, () -> cluster.run("bucket", "create", "scrubbed", "--replicas", "1"));
            for (int i = 0; i < 12; i++) {
                var key = "k" + i;
                s3.putObject(
                        request -> request.bucket("scrubbed").key(key),
                        RequestBody.fromBytes(Content.of(key, 2_000_000)));
            }
            assertThat(cluster.run("scrub", "start", "--wait").latin1()).contains("target001", "target003", "idle");

            var damaged = cluster.objectFiles("scrubbed").getFirst();
            var key = damaged.getFileName().toString();
            try (var file = new RandomAccessFile(damaged.toFile(), "rw")) {
                file.seek(1_500_000);
                int was = file.read();
                file.seek(1_500_000);
                file.write(was ^ 1);
            }
            var found = cluster.attempt(Map.of(), "scrub", "start", "--wait", "--json");
            assertThat(found.exit()).isEqualTo(1);
            assertThat(found.latin1()).contains("\"path\" : \"objects/scrubbed/%s\"".formatted(key), "\"marked\"");
            assertThat(Files.exists(damaged)).isTrue();
            assertThatThrownBy(() -> s3.getObjectAsBytes(
                            request -> request.bucket("scrubbed").key(key).range("bytes=0-9")))
                    .isInstanceOfSatisfying(
                            S3Exception.class,
                            failure -> assertThat(failure.statusCode()).isEqualTo(500));

            s3.putObject(
                    request -> request.bucket("scrubbed").key(key), RequestBody.fromBytes(Content.of(key, 2_000_000)));
            cluster.run("scrub", "start", "--wait");
            assertThat(cluster.run("scrub", "stop", "--target", "target002").latin1())
                    .contains("stopped")
                    .doesNotContain("target001");
            assertThat(cluster.run("scrub", "status").latin1()).contains("target001", "stopped");

            var drive = cluster.drives(cluster.targets().getFirst()).getFirst();
            cluster.run("drive", "disable", drive.toString());
            assertThat(cluster.run("scrub", "start", "--wait").latin1())
                    .as("it does not wait for a disabled drive")
                    .contains("disabled by an operator", "idle");
            cluster.run("drive", "enable", drive.toString());
            Eventually.holds(
                    SOON, () -> assertThat(cluster.run("status").outText()).doesNotContain("disabled"));
        }
    }
}
