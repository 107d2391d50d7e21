package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deploy.harness.SluiceCluster;
import dev.sluice.testing.SampleTar;
import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// `sluice index` and `sluice sample`.
@Timeout(value = 2, unit = TimeUnit.MINUTES)
final class SampleCommandsTest {
    @TempDir
    private Path folder;

    @Test
    void samplesAreCountedAndFetched() throws Exception {
        var shards = List.of(SampleTar.of(5, 2_000, 1), SampleTar.of(12, 2_000, 2));
        try (var cluster =
                SluiceCluster.start(folder.resolve("cluster"), Map.of(), "--targets", "1", "--drives", "1")) {
            cluster.run("bucket", "create", "shards");
            for (int i = 0; i < shards.size(); i++) {
                var file = Files.write(folder.resolve("shard"), shards.get(i).bytes());
                cluster.run("put", file.toString(), "shards/train/" + i + ".tar");
                cluster.run("put", file.toString(), "shards/other/" + i);
            }
            assertThat(cluster.run("index", "shards/train/", "--wait").outText())
                    .contains("2 indexed");
            assertThat(cluster.run("sample", "ls", "shards/train").outText().lines())
                    .satisfiesExactly(
                            line -> assertThat(line).startsWith("SAMPLES"),
                            line -> assertThat(line).startsWith("5 ").endsWith("train/0.tar"),
                            line -> assertThat(line).startsWith("12 ").endsWith("train/1.tar"),
                            line -> assertThat(line).isEqualTo("17 samples in 2 shards"));

            var one = folder.resolve("one.tar");
            cluster.run("sample", "get", "shards/train/1.tar", "7", one.toString());
            assertThat(one).hasBinaryContent(tar(shards.get(1).samples().subList(7, 8)));
            var several = folder.resolve("several.tar");
            cluster.run("sample", "get", "shards/train/1.tar", "9", several.toString(), "--count", "3");
            assertThat(several).hasBinaryContent(tar(shards.get(1).samples().subList(9, 12)));

            var beyond = cluster.attempt(Map.of(), "sample", "get", "shards/train/1.tar", "12", one.toString());
            assertThat(beyond.exit()).isEqualTo(1);
            assertThat(one).hasBinaryContent(tar(shards.get(1).samples().subList(7, 8)));

            Files.writeString(folder.resolve("shard"), "no tar");
            cluster.run("put", folder.resolve("shard").toString(), "shards/train/2.tar");
            var oneIsNone = cluster.attempt(Map.of(), "sample", "ls", "shards/train");
            assertThat(oneIsNone.exit()).isEqualTo(1);
            assertThat(oneIsNone.outText()).contains("17 samples in 2 shards");
            assertThat(oneIsNone.err()).contains("train/2.tar");
        }
    }

    private static byte[] tar(List<byte[]> samples) {
        var tar = new ByteArrayOutputStream();
        samples.forEach(tar::writeBytes);
        tar.writeBytes(new byte[1024]);
        return tar.toByteArray();
    }
}
