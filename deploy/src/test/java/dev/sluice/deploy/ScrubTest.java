package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.deploy.harness.SluiceCluster;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.model.S3Exception;

/// An operator finds damage on a drive of another process, with the commands of the handbook, and heals it.
final class ScrubTest {
    @Test
    void damageIsFoundShownAndHealed(@TempDir Path folder) throws Exception {
        try (var cluster = SluiceCluster.start(folder.resolve("cluster"), Map.of(), "--separate");
                var s3 = cluster.endpoint().client()) {
            s3.createBucket(request -> request.bucket("shards"));
            for (int i = 0; i < 12; i++) {
                var key = "k" + i;
                s3.putObject(
                        request -> request.bucket("shards").key(key),
                        RequestBody.fromBytes(Content.of(key, 2_000_000)));
            }
            assertThat(cluster.run("scrub", "start", "--wait").latin1()).contains("target001", "target003", "idle");

            var damaged = cluster.objectFiles("shards").getFirst();
            var key = damaged.getFileName().toString();
            try (var file = new RandomAccessFile(damaged.toFile(), "rw")) {
                file.seek(1_500_000);
                int was = file.read();
                file.seek(1_500_000);
                file.write(was ^ 1);
            }
            var found = cluster.attempt(Map.of(), "scrub", "start", "--wait", "--json");
            assertThat(found.exit()).isEqualTo(1);
            assertThat(found.latin1()).contains("\"path\" : \"objects/shards/%s\"".formatted(key), "\"marked\"");
            assertThat(Files.exists(damaged)).isTrue();
            assertThatThrownBy(() -> s3.getObjectAsBytes(
                            request -> request.bucket("shards").key(key).range("bytes=0-9")))
                    .isInstanceOfSatisfying(
                            S3Exception.class,
                            failure -> assertThat(failure.statusCode()).isEqualTo(500));

            s3.putObject(
                    request -> request.bucket("shards").key(key), RequestBody.fromBytes(Content.of(key, 2_000_000)));
            cluster.run("scrub", "start", "--wait");
            assertThat(cluster.run("scrub", "stop", "--target", "target002").latin1())
                    .contains("stopped")
                    .doesNotContain("target001");
            assertThat(cluster.run("scrub", "status").latin1()).contains("target001", "stopped");

            var drive = folder.resolve("cluster")
                    .resolve(cluster.targets().getFirst().drives().getFirst());
            cluster.run("mountpath", "disable", drive.toString());
            assertThat(cluster.run("scrub", "start", "--wait").latin1())
                    .as("it does not wait for a disabled drive")
                    .contains("disabled by an operator", "idle");
        }
    }
}
