package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.backend.peers.PeerServer;
import dev.sluice.backend.peers.RequiresPeer;
import dev.sluice.deploy.harness.ClusterNode;
import dev.sluice.deploy.harness.Endpoint;
import dev.sluice.deploy.harness.Eventually;
import dev.sluice.deploy.harness.Finished;
import dev.sluice.deploy.harness.Forwarder;
import dev.sluice.deploy.harness.SluiceCluster;
import dev.sluice.testing.SampleTar;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;

/// Batches that take long: a client that hardly reads costs no node memory, and a cloud that stands still costs a
/// batch no sample.
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class SlowBatchesTest {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String OPEN = """
            {"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"s3:GetObject",\
            "Resource":"arn:aws:s3:::%s/*"}]}""";

    @TempDir
    private Path folder;

    // ---- memory

    private static final long BATCH = 10L << 30;
    private static final int SHARDS = 6;
    private static final int SAMPLES = 20;
    private static final int LARGEST = 500_000;
    private static final int READ = 4 << 10;
    private static final int SECONDS = 10;
    private static final long MORE = 8L << 20;
    /// The heap is in memory as a whole from the start, so what is resident grows by what lies outside.
    private static final String FIXED_HEAP = "-Xms192m -Xmx192m -XX:+AlwaysPreTouch";

    /// Bytes in use.
    private record Memory(long heap, long resident) {}

    @Test
    @Tag("long")
    void aClientThatHardlyReadsCostsNoMemory() throws Exception {
        try (var cluster = SluiceCluster.start(
                        folder.resolve("cluster"),
                        Map.of("SLUICE_JVM_FLAGS", FIXED_HEAP),
                        "--separate",
                        "--targets",
                        "3",
                        "--drives",
                        "1");
                var s3 = cluster.endpoint().client()) {
            cluster.run("bucket", "create", "sets");
            s3.putBucketPolicy(request -> request.bucket("sets").policy(OPEN.formatted("sets")));
            var items = new StringBuilder();
            var shards = new StringBuilder();
            long size = 0;
            for (int i = 0; i < SHARDS; i++) {
                var tar = SampleTar.of(SAMPLES, LARGEST, i);
                var key = i + ".tar";
                s3.putObject(request -> request.bucket("sets").key(key), RequestBody.fromBytes(tar.bytes()));
                size += tar.bytes().length;
                shards.append(i == 0 ? "" : ",").append("[\"sets\",\"%s\",null]".formatted(key));
                items.append(i == 0 ? "" : ",").append("%d,0,%d".formatted(i, SAMPLES));
            }
            var round = items.toString();
            var large = "{\"shards\":[%s],\"samples\":[%s]}"
                    .formatted(shards, String.join(",", Collections.nCopies((int) (BATCH / size) + 1, round)));
            var small = "{\"shards\":[%s],\"samples\":[%s]}".formatted(shards, round);
            var endpoint = cluster.endpoint().url();
            for (int i = 0; i < 5; i++) { // what a node has of buffers and of compiled code, it has then
                try (var socket = asked(endpoint, small, Optional.empty())) {
                    socket.getInputStream().transferTo(OutputStream.nullOutputStream());
                }
            }
            var before = memory(cluster);
            try (var socket = asked(endpoint, large, Optional.of(READ))) {
                readSlowly(socket);
                var now = memory(cluster);
                before.forEach((node, then) -> {
                    var more = Objects.requireNonNull(now.get(node));
                    assertThat(more.heap - then.heap)
                            .as("more heap in use at " + node)
                            .isLessThan(MORE);
                    assertThat(more.resident - then.resident)
                            .as("more memory outside of the heap at " + node)
                            .isLessThan(MORE);
                });
            }
        }
    }

    /// @param receives how much the socket takes; the answer of one without such a bound is the connection's last
    private static Socket asked(URI endpoint, String batch, Optional<Integer> receives) throws IOException {
        var socket = new Socket();
        if (receives.isPresent()) {
            socket.setReceiveBufferSize(receives.get());
        }
        socket.setSoTimeout(60_000);
        socket.connect(new InetSocketAddress(endpoint.getHost(), endpoint.getPort()));
        var head = "POST /v1/samples HTTP/1.1\r\nHost: %s:%d\r\nContent-Length: %d\r\n%s\r\n"
                .formatted(
                        endpoint.getHost(),
                        endpoint.getPort(),
                        batch.length(),
                        receives.isEmpty() ? "Connection: close\r\n" : "");
        socket.getOutputStream().write((head + batch).getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private static void readSlowly(Socket socket) throws Exception {
        var read = new AtomicLong();
        try (var clock = Executors.newSingleThreadScheduledExecutor()) {
            var reading = clock.scheduleAtFixedRate(
                    () -> {
                        try {
                            socket.getInputStream().readNBytes(READ);
                            read.addAndGet(READ);
                        } catch (IOException failure) {
                            throw new IllegalStateException(failure);
                        }
                    },
                    0,
                    1,
                    TimeUnit.SECONDS);
            Eventually.within(Duration.ofSeconds(4 * SECONDS), () -> {
                assertThat(reading.isDone()).isFalse(); // else it has failed
                assertThat(read.get()).isGreaterThanOrEqualTo((long) READ * SECONDS);
                return read;
            });
            reading.cancel(false);
        }
    }

    private static Map<String, Memory> memory(SluiceCluster cluster) throws Exception {
        var found = new HashMap<String, Memory>();
        for (var node : cluster.nodes()) {
            var jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
            Finished.run(SOON, Map.of(), List.of(jcmd, Long.toString(node.pid()), "GC.run"))
                    .orFail("");
            found.put(node.id(), new Memory(heap(node), resident(node)));
        }
        return found;
    }

    private static long heap(ClusterNode node) throws Exception {
        try (var http = HttpClient.newHttpClient()) {
            var metrics = http.send(
                            HttpRequest.newBuilder(node.url().resolve("/metrics"))
                                    .build(),
                            BodyHandlers.ofString())
                    .body();
            var heap = Pattern.compile("(?m)^jvm_memory_used_bytes\\{area=\"heap\".*\\} (\\S+)$")
                    .matcher(metrics);
            long all = 0;
            while (heap.find()) {
                all += (long) Double.parseDouble(heap.group(1));
            }
            assertThat(all).as(metrics).isPositive();
            return all;
        }
    }

    private static long resident(ClusterNode node) throws IOException {
        return Files.readAllLines(Path.of("/proc/" + node.pid() + "/status")).stream()
                        .filter(line -> line.startsWith("RssAnon:"))
                        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                        .sum()
                << 10;
    }

    // ---- a cloud

    /// Longer than a client waits for a sign, and than a node does for another.
    private static final Duration STILL = Duration.ofSeconds(40);

    @Test
    @Tag("long")
    @RequiresPeer("minio")
    void allArrivesAfterTheCloudStoodStill() throws Exception {
        var minio = PeerServer.minio(folder.resolve("minio"));
        try (var cloud = new Forwarder(minio.url())) {
            var settings =
                    "[backends.minio]\ntype = \"s3\"\nendpoint = \"%s\"\naccess_key = \"%s\"\nsecret_key = \"%s\"\n"
                            .formatted(cloud.url(), PeerServer.MINIO_USER, PeerServer.MINIO_PASSWORD);
            var file = Files.writeString(folder.resolve("settings.toml"), settings);
            try (var cluster = SluiceCluster.start(
                            folder.resolve("cluster"),
                            Map.of(),
                            "--separate",
                            "--targets",
                            "3",
                            "--drives",
                            "1",
                            "--config",
                            file.toString());
                    var s3 = cluster.endpoint().client();
                    var there = new Endpoint(minio.url(), PeerServer.MINIO_USER, PeerServer.MINIO_PASSWORD).client()) {
                there.createBucket(request -> request.bucket("sets"));
                var batches = new SampleBatches(cluster.endpoint().url());
                for (int i = 0; i < SHARDS; i++) {
                    var tar = SampleTar.of(SAMPLES, 9_000, i);
                    var key = "cold/" + i + ".tar";
                    there.putObject(request -> request.bucket("sets").key(key), RequestBody.fromBytes(tar.bytes()));
                    batches.add("sets", key, tar);
                }
                cluster.run("bucket", "create", "sets", "--backend", "s3://sets", "--via", "minio");
                s3.putBucketPolicy(request -> request.bucket("sets").policy(OPEN.formatted("sets")));
                cloud.holdAnswers("cold");
                try (var clock = Executors.newSingleThreadScheduledExecutor()) {
                    var released = clock.schedule(cloud::release, STILL.toSeconds(), TimeUnit.SECONDS);
                    long begun = System.nanoTime();
                    var signs = batches.requireAll();
                    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThan(STILL);
                    assertThat(signs).isBetween(5, 9); // each 5 s
                    released.get();
                }
            }
        } finally {
            minio.close();
        }
    }
}
