package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.SampleTar;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.zip.CRC32;

/// Asks for batches of samples without a signature, and compares every frame with what was put.
final class SampleBatches {
    private static final int SAMPLE = 1;
    private static final int WAITING = 2;
    private static final int END = 3;

    private final HttpClient http = HttpClient.newHttpClient();
    private final List<Shard> shards = new ArrayList<>();
    private final URI samples;

    record Shard(String bucket, String key, SampleTar tar) {}

    /// A sample that is wanted.
    private record Wanted(int shard, int sample) {}

    SampleBatches(URI endpoint) {
        this.samples = endpoint.resolve("/v1/samples");
    }

    void add(String bucket, String key, SampleTar tar) {
        shards.add(new Shard(bucket, key, tar));
    }

    HttpResponse<InputStream> ask(String batch, String accept) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(samples)
                .timeout(Duration.ofSeconds(60))
                .header("Accept", accept)
                .POST(BodyPublishers.ofString(batch))
                .build();
        return http.send(request, BodyHandlers.ofInputStream());
    }

    /// Of the cluster: 200 when every shard has all its replicas.
    HttpResponse<String> health() throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(samples.resolve("/health/cluster")).build();
        return http.send(request, BodyHandlers.ofString());
    }

    String listed() {
        return shards.stream()
                .map(shard -> "[\"%s\",\"%s\",null]".formatted(shard.bucket, shard.key))
                .collect(Collectors.joining(",", "[", "]"));
    }

    /// Samples of all shards, at random.
    ///
    /// @return how many
    int requireBatch(Random random) throws IOException, InterruptedException {
        var wanted = new ArrayList<Wanted>();
        var items = new ArrayList<String>();
        for (int i = random.nextInt(120); i >= 0; i--) {
            int shard = random.nextInt(shards.size());
            int all = shards.get(shard).tar.samples().size();
            int first = random.nextInt(all);
            int count = 1 + random.nextInt(Math.min(5, all - first));
            items.add("%d,%d,%d".formatted(shard, first, count));
            for (int j = 0; j < count; j++) {
                wanted.add(new Wanted(shard, first + j));
            }
        }
        var _ = require(items, wanted);
        return wanted.size();
    }

    /// All samples of all shards, in order.
    ///
    /// @return how often the cluster said that the next one was not ready
    int requireAll() throws IOException, InterruptedException {
        var wanted = new ArrayList<Wanted>();
        var items = new ArrayList<String>();
        for (int shard = 0; shard < shards.size(); shard++) {
            int all = shards.get(shard).tar.samples().size();
            items.add("%d,0,%d".formatted(shard, all));
            for (int i = 0; i < all; i++) {
                wanted.add(new Wanted(shard, i));
            }
        }
        return require(items, wanted);
    }

    private int require(List<String> items, List<Wanted> wanted) throws IOException, InterruptedException {
        var answer = ask("{\"shards\":%s,\"samples\":[%s]}".formatted(listed(), String.join(",", items)), "*/*");
        assertThat(answer.statusCode()).isEqualTo(200);
        try (var stream = new DataInputStream(answer.body())) {
            int signs = 0;
            for (int sequence = 0; sequence < wanted.size(); sequence++) {
                signs += requireSoon(stream, SAMPLE);
                require(stream, sequence, wanted.get(sequence));
            }
            signs += requireSoon(stream, END);
            assertThat(stream.readInt()).isEqualTo(200);
            assertThat(stream.readLong()).isEqualTo(wanted.size());
            stream.skipNBytes(16);
            assertThat(stream.read()).isEqualTo(-1);
            return signs;
        }
    }

    private void require(DataInputStream stream, int sequence, Wanted wanted) throws IOException {
        int status = stream.readInt();
        assertThat(stream.readLong()).isEqualTo(sequence);
        assertThat(stream.readInt()).isEqualTo(wanted.shard);
        assertThat(stream.readInt()).isEqualTo(wanted.sample);
        int length = stream.readInt();
        int crc32 = stream.readInt();
        var bytes = stream.readNBytes(length);
        assertThat(status)
                .as(
                        "sample %d of %s: %s",
                        wanted.sample,
                        shards.get(wanted.shard),
                        status == 200 ? "" : new String(bytes, StandardCharsets.UTF_8))
                .isEqualTo(200);
        assertThat(Arrays.equals(bytes, shards.get(wanted.shard).tar.samples().get(wanted.sample)))
                .as("sample %d of %s", wanted.sample, shards.get(wanted.shard).key)
                .isTrue();
        var crc = new CRC32();
        crc.update(bytes);
        assertThat(crc32).isEqualTo((int) crc.getValue());
    }

    /// @return how many frames of waiting come before
    private static int requireSoon(DataInputStream stream, int wanted) throws IOException {
        int signs = 0;
        int kind = stream.readInt();
        for (; kind == WAITING; kind = stream.readInt()) {
            stream.skipNBytes(28);
            signs++;
        }
        assertThat(kind).isEqualTo(wanted);
        return signs;
    }
}
