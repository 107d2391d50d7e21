package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.backend.peers.PeerServer;
import dev.sluice.backend.peers.RequiresPeer;
import dev.sluice.common.peer.ClusterTls;
import dev.sluice.deploy.harness.ClusterNode;
import dev.sluice.deploy.harness.Endpoint;
import dev.sluice.deploy.harness.SelfSigned;
import dev.sluice.deploy.harness.SluiceCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.net.SocketFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;

/// Many clients that do not read what they ask for: large objects of a target, the same through a proxy, and objects
/// that come from the cloud. The nodes stay within the memory that docs/operations/settings.md says, and serve
/// the others.
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@RequiresPeer("minio")
final class SlowReadersTest {
    private static final int SIZE = 24 << 20;
    private static final int COLD = 8;
    private static final long MIB = 1 << 20;

    /// What docs/operations/settings.md adds up for these settings: heap, direct memory, block cache and write
    /// buffers, the rest.
    private static final int HEAP = 256;
    private static final int DIRECT = 256;
    private static final int INDEX = 96;
    private static final int REST = 256;

    @TempDir
    private Path folder;

    @Test
    void threeHundred() throws Exception {
        requireMemoryIsBounded(300, Optional.empty());
    }

    @Test
    @Tag("long")
    void twoThousand() throws Exception {
        requireMemoryIsBounded(2000, Optional.empty());
    }

    @Test
    @Tag("long")
    void twoThousandBehindTls() throws Exception {
        requireMemoryIsBounded(2000, Optional.of(SelfSigned.in(folder)));
    }

    private void requireMemoryIsBounded(int number, Optional<SelfSigned> keys) throws Exception {
        var sockets = keys.isPresent()
                ? ClusterTls.trusting(keys.get().certificate()).getSocketFactory()
                : SocketFactory.getDefault();
        var flags = Map.of("SLUICE_JVM_FLAGS", "-Xmx%dm -XX:MaxDirectMemorySize=%dm".formatted(HEAP, DIRECT));
        var minio = PeerServer.minio(folder.resolve("minio"));
        try (var cluster = SluiceCluster.start(folder.resolve("cluster"), flags, options(keys, minio));
                var readers = new Readers(sockets)) {
            fill(cluster, minio);
            var targets = cluster.targets();
            var urls = new ArrayList<URI>();
            for (int i = 0; i < number; i++) {
                var node = i % 3 == 0
                        ? cluster.endpoint().url()
                        : targets.getFirst().url();
                var object = i % 3 == 2 ? "cold/" + i % COLD : "large/shard";
                urls.add(presigned(cluster.endpoint().at(node), object));
            }
            readers.ask(urls);
            requireOthersAreServed(cluster, sockets);
            for (var node : cluster.nodes()) {
                assertThat(mostResident(node) / MIB)
                        .as("most MiB that %s ever had in memory", node.id())
                        .isLessThanOrEqualTo(HEAP + DIRECT + INDEX + REST);
            }
        } finally {
            minio.close();
        }
    }

    private String[] options(Optional<SelfSigned> keys, PeerServer minio) throws IOException {
        var settings = new StringBuilder("[limits]\nbody_memory = \"64MiB\"\n");
        settings.append("[backends.minio]\ntype = \"s3\"\nendpoint = \"%s\"\naccess_key = \"%s\"\nsecret_key = \"%s\"\n"
                .formatted(minio.url(), PeerServer.MINIO_USER, PeerServer.MINIO_PASSWORD));
        if (keys.isPresent()) {
            settings.append("[http]\ntls_certificate = \"%s\"\ntls_key = \"%s\"\n"
                    .formatted(keys.get().certificate(), keys.get().key()));
        }
        var file = Files.writeString(folder.resolve("settings.toml"), settings);
        return new String[] {"--separate", "--targets", "1", "--drives", "1", "--config", file.toString()};
    }

    private void fill(SluiceCluster cluster, PeerServer minio) throws IOException {
        var shard = Files.write(folder.resolve("shard"), Content.of("shard", SIZE));
        cluster.run("bucket", "create", "large");
        cluster.run("put", shard.toString(), "large/shard");
        try (var cloud = new Endpoint(minio.url(), PeerServer.MINIO_USER, PeerServer.MINIO_PASSWORD).client()) {
            cloud.createBucket(request -> request.bucket("cold"));
            for (int i = 0; i < COLD; i++) {
                var key = Integer.toString(i);
                cloud.putObject(request -> request.bucket("cold").key(key), RequestBody.fromFile(shard));
            }
        }
        cluster.run("bucket", "create", "cold", "--backend", "s3://cold", "--via", "minio");
    }

    private static URI presigned(Endpoint endpoint, String object) throws IOException {
        int slash = object.indexOf('/');
        try (var presigner = endpoint.presigner()) {
            return URI.create(presigner
                    .presignGetObject(request -> request.signatureDuration(Duration.ofHours(1))
                            .getObjectRequest(get ->
                                    get.bucket(object.substring(0, slash)).key(object.substring(slash + 1))))
                    .url()
                    .toString());
        }
    }

    private static void requireOthersAreServed(SluiceCluster cluster, SocketFactory sockets) throws IOException {
        for (var node : cluster.nodes()) {
            var url = presigned(cluster.endpoint().at(node.url()), "large/shard");
            try (var socket = connected(sockets, url)) {
                ask(socket, url, "Range: bytes=0-99999\r\nConnection: close\r\n");
                var answer = socket.getInputStream().readAllBytes();
                assertThat(new String(answer, 0, 12, StandardCharsets.ISO_8859_1))
                        .isEqualTo("HTTP/1.1 206");
                assertThat(answer).hasSizeGreaterThan(100_000);
            }
        }
    }

    private static long mostResident(ClusterNode node) throws IOException {
        return Files.readAllLines(Path.of("/proc/" + node.pid() + "/status")).stream()
                        .filter(line -> line.startsWith("VmHWM:"))
                        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                        .sum()
                << 10;
    }

    private static Socket connected(SocketFactory sockets, URI url) throws IOException {
        var socket = sockets.createSocket();
        socket.setReceiveBufferSize(4 << 10);
        socket.setSoTimeout(60_000);
        socket.connect(new InetSocketAddress(url.getHost(), url.getPort()));
        return socket;
    }

    private static void ask(Socket socket, URI url, String fields) throws IOException {
        var request = "GET %s?%s HTTP/1.1\r\nHost: %s:%d\r\n%s\r\n"
                .formatted(url.getRawPath(), url.getRawQuery(), url.getHost(), url.getPort(), fields);
        socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().flush();
    }

    /// Connections that have asked, and have read the first byte of the answer.
    private static final class Readers implements AutoCloseable {
        private final SocketFactory sockets;
        private final List<Socket> open = new ArrayList<>();

        Readers(SocketFactory sockets) {
            this.sockets = sockets;
        }

        void ask(List<URI> urls) throws InterruptedException {
            try (var threads = Executors.newFixedThreadPool(4)) {
                List<Callable<Boolean>> calls = IntStream.range(0, urls.size())
                        .<Callable<Boolean>>mapToObj(i -> () -> askOne(urls.get(i)))
                        .toList();
                for (var call : threads.invokeAll(calls)) {
                    assertThat(call.resultNow()).isTrue();
                }
            }
        }

        private boolean askOne(URI url) throws IOException {
            var socket = connected(sockets, url);
            synchronized (open) {
                open.add(socket);
            }
            SlowReadersTest.ask(socket, url, "");
            return socket.getInputStream().read() == 'H';
        }

        @Override
        public void close() {
            for (var each : open) {
                try {
                    each.close();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }
}
