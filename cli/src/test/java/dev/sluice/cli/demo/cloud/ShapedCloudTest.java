package dev.sluice.cli.demo.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sluice.cli.trust.TlsServer;
import dev.sluice.cli.trust.Trust;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ShapedCloudTest {
    private static final byte[] CONTENT = new byte[1 << 20];

    static {
        new Random(1).nextBytes(CONTENT);
    }

    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .executor(Runnable::run)
            .build();
    private final HttpServer server = start();

    @AfterEach
    void stop() {
        client.close();
        server.stop(0);
    }

    @Test
    void bytesPassUnchangedAndRequestsAreCounted() throws Exception {
        try (var cloud = cloud(Duration.ZERO, 1 << 30)) {
            for (int i = 0; i < 3; i++) {
                assertThat(send(cloud, "/bucket/object", get()).body()).isEqualTo(CONTENT);
            }
            send(cloud, "/bucket/head", get().method("HEAD", BodyPublishers.noBody()));
            send(cloud, "/bucket?list-type=2", get());
            assertThat(send(cloud, "/bucket/echo", get().PUT(BodyPublishers.ofByteArray(CONTENT)))
                            .body())
                    .isEqualTo(CONTENT);
            var unknownLength = BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(CONTENT));
            assertThat(send(cloud, "/bucket/echo", get().PUT(unknownLength)).body())
                    .isEqualTo(CONTENT);
            Traffic traffic = cloud.traffic();
            assertThat(traffic.count(RequestKind.GET)).isEqualTo(3);
            assertThat(traffic.gets("object")).isEqualTo(3);
            assertThat(traffic.count(RequestKind.HEAD)).isEqualTo(1);
            assertThat(traffic.count(RequestKind.LIST)).isEqualTo(1);
            assertThat(traffic.count(RequestKind.PUT)).isEqualTo(2);
            assertThat(traffic.total()).isEqualTo(7);
            assertThat(traffic.bytesUp()).isBetween(2L * CONTENT.length, 2L * CONTENT.length + 8_000);
            assertThat(traffic.bytesDown()).isBetween(6L * CONTENT.length, 6L * CONTENT.length + 8_000);
            assertThat(traffic.since(traffic).total()).isZero();
        }
    }

    @Test
    void tlsBeginsBehindTheDoorWhereTheEndpointWantsIt(@TempDir Path folder) throws Exception {
        try (var far = TlsServer.start(folder, "ip:127.0.0.1")) {
            var trust = new Trust("the test", Optional.of(far.certificate())).context();
            try (var cloud = before(far, trust)) {
                assertThat(send(cloud, "/bucket/echo", get().PUT(BodyPublishers.ofByteArray(CONTENT)))
                                .body())
                        .isEqualTo(CONTENT);
                assertThat(cloud.traffic().count(RequestKind.PUT)).isEqualTo(1);
                assertThat(cloud.traffic().bytesUp()).isBetween((long) CONTENT.length, CONTENT.length + 8_000L);
            }
            try (var cloud = before(far, SSLContext.getDefault())) {
                assertThatThrownBy(() -> send(cloud, "/bucket/echo", get()))
                        .as("nobody vouches for it")
                        .isInstanceOf(IOException.class);
            }
        }
    }

    @Test
    void aFarSideWithTheNameOfAnotherIsNotBelieved(@TempDir Path folder) throws Exception {
        try (var far = TlsServer.start(folder, "dns:elsewhere.example");
                var cloud = before(far, new Trust("the test", Optional.of(far.certificate())).context())) {
            assertThatThrownBy(() -> send(cloud, "/bucket/echo", get())).isInstanceOf(IOException.class);
        }
    }

    private static ShapedCloud before(TlsServer far, SSLContext tls) throws IOException {
        return ShapedCloud.before(far.address(), Optional.of(tls.getSocketFactory()), Duration.ZERO, 1 << 30);
    }

    @Test
    void everyRequestWaitsForTheLatency() throws Exception {
        var latency = Duration.ofMillis(30);
        try (var cloud = cloud(latency, 1 << 30)) {
            long start = System.nanoTime();
            for (int i = 0; i < 5; i++) {
                send(cloud, "/bucket/object", get());
            }
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(latency.multipliedBy(5));
        }
    }

    @Test
    void connectionsShareTheBandwidth() throws Exception {
        try (var cloud = cloud(Duration.ZERO, 20 << 20)) {
            long start = System.nanoTime();
            try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                var all = IntStream.range(0, 8)
                        .mapToObj(_ -> CompletableFuture.runAsync(
                                () -> {
                                    try {
                                        send(cloud, "/bucket/object", get());
                                    } catch (Exception e) {
                                        throw new AssertionError(e);
                                    }
                                },
                                threads))
                        .toArray(CompletableFuture[]::new);
                CompletableFuture.allOf(all).join();
            }
            // 8 MiB at 20 MiB/s are 400 ms; a burst of 10 ms may go before.
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(380));
        }
    }

    @Test
    void anEndpointThatIsNotThereIsAnErrorAtTheClient() throws Exception {
        server.stop(0);
        try (var cloud = cloud(Duration.ZERO, 1 << 20)) {
            assertThatThrownBy(() -> send(cloud, "/bucket/object", get())).isInstanceOf(IOException.class);
        }
    }

    private ShapedCloud cloud(Duration latency, long rate) throws IOException {
        return ShapedCloud.before(server.getAddress(), Optional.empty(), latency, rate);
    }

    private static HttpRequest.Builder get() {
        return HttpRequest.newBuilder().timeout(Duration.ofSeconds(20)).GET();
    }

    private HttpResponse<byte[]> send(ShapedCloud cloud, String path, HttpRequest.Builder request)
            throws IOException, InterruptedException {
        var uri = URI.create("http://127.0.0.1:" + cloud.port() + path);
        return client.send(request.uri(uri).build(), BodyHandlers.ofByteArray());
    }

    private static HttpServer start() {
        try {
            var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
            server.createContext("/", ShapedCloudTest::answer);
            server.start();
            return server;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] sent = exchange.getRequestBody().readAllBytes();
            byte[] answer = exchange.getRequestMethod().equals("PUT") ? sent : CONTENT;
            boolean head = exchange.getRequestMethod().equals("HEAD");
            exchange.sendResponseHeaders(200, head ? -1 : answer.length);
            if (!head) {
                exchange.getResponseBody().write(answer);
            }
        }
    }
}
