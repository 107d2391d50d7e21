package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.concurrent.Await;
import dev.sluice.deploy.harness.SluiceCluster;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A loader that stops in the middle of its shards, for an evaluation say, goes on with them afterwards.
@Tag("long")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class PausingReadersTest {
    private static final byte[] SHARD = Content.of("shard", 40 << 20);

    /// How a bucket is made, and how its objects are asked for: a proxy's relay reads on behalf of the client.
    private record Way(String bucket, String route, String... options) {}

    private static final List<Way> WAYS = List.of(
            new Way("one", "redirect", "--replicas", "1"),
            new Way("two", "redirect", "--replicas", "2"),
            new Way("relayed", "relay", "--replicas", "2"),
            new Way("coded", "redirect", "--ec", "2+1"));

    @TempDir
    private Path folder;

    @Test
    void everyByteComesAfterNinetySeconds() throws Exception {
        var file = Files.write(folder.resolve("shard"), SHARD);
        try (var cluster =
                SluiceCluster.start(folder.resolve("cluster"), Map.of(), "--separate", "--targets", "3", "--no-auth")) {
            for (var way : WAYS) {
                cluster.run(Stream.concat(Stream.of("bucket", "create", way.bucket), Stream.of(way.options))
                        .toArray(String[]::new));
                cluster.run("put", file.toString(), way.bucket + "/shard");
            }
            var streams = WAYS.stream().map(way -> opened(cluster, way)).toList();
            for (var stream : streams) {
                assertThat(Arrays.equals(stream.readNBytes(1 << 20), 0, 1 << 20, SHARD, 0, 1 << 20))
                        .isTrue();
            }
            Await.pause(Duration.ofSeconds(90));
            for (int i = 0; i < WAYS.size(); i++) {
                try (var stream = streams.get(i)) {
                    var rest = stream.readAllBytes();
                    assertThat(rest).as(WAYS.get(i).bucket).hasSize(SHARD.length - (1 << 20));
                    assertThat(Arrays.equals(rest, 0, rest.length, SHARD, 1 << 20, SHARD.length))
                            .isTrue();
                }
            }
        }
    }

    private static InputStream opened(SluiceCluster cluster, Way way) {
        try {
            var url = cluster.endpoint().url().resolve("/" + way.bucket + "/shard");
            var connection = (HttpURLConnection) url.toURL().openConnection();
            connection.setRequestProperty("x-sluice-route", way.route);
            return connection.getInputStream();
        } catch (IOException failure) {
            throw new AssertionError(way.bucket, failure);
        }
    }
}
