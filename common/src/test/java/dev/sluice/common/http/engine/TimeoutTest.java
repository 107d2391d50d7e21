package dev.sluice.common.http.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.http.Headers;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody;
import dev.sluice.common.http.ResponseBody.Streamed;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Clients that do too little for too long, and connections that are too many.
@Timeout(30)
class TimeoutTest {
    private static final String GET = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Duration SHORT = Duration.ofMillis(100);

    private static EngineConfig limits(Duration idle, Duration header, Duration progress) {
        return new TestConfig()
                .timeouts(idle, header, progress, Duration.ofMillis(200))
                .build();
    }

    @Test
    void aHalfOpenRequestIsClosed() throws Exception {
        try (var server = TestServer.immediate(limits(LONG, SHORT, LONG), _ -> Response.empty(200));
                var fresh = server.connect();
                var used = server.connect()) {
            used.send(GET).read();
            assertThat(used.send("GE").isClosedByServer()).isTrue();
            assertThat(fresh.send("GET / HTTP/1.1\r\nHo").isClosedByServer()).isTrue();
        }
    }

    @Test
    void anIdleConnectionIsClosed() throws Exception {
        try (var server = TestServer.immediate(limits(SHORT, LONG, LONG), _ -> Response.empty(200));
                var used = server.connect()) {
            used.send(GET).read();
            assertThat(used.isClosedByServer()).isTrue();
            try (var fresh = server.connect()) {
                assertThat(fresh.isClosedByServer()).isTrue();
            }
        }
    }

    @Test
    void aBodyThatStopsArrivingIsGivenUp() throws Exception {
        var failure = new CompletableFuture<Throwable>();
        try (var server = TestServer.blocking(limits(LONG, LONG, SHORT), request -> {
                    try {
                        int pieces = 0;
                        while (request.body().next().hasRemaining()) {
                            pieces++;
                        }
                        return Response.text(200, "text/plain", "" + pieces);
                    } catch (IOException cut) {
                        failure.complete(cut);
                        throw cut;
                    }
                });
                var client = server.connect()) {
            client.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nhello");
            assertThat(failure.get()).isInstanceOf(IOException.class);
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void anAnswerThatIsNotTakenIsGivenUp() throws Exception {
        var failure = new CompletableFuture<Throwable>();
        try (var server = TestServer.blocking(
                        limits(LONG, LONG, SHORT),
                        _ -> Response.of(200, Headers.EMPTY, new Streamed(-1, sink -> {
                            try {
                                while (true) {
                                    sink.write(ByteBuffer.wrap(new byte[64 << 10]));
                                }
                            } catch (IOException cut) {
                                failure.complete(cut);
                                throw cut;
                            }
                        })));
                var client = new RawClient(server.server.address(), 16 << 10)) {
            client.send(GET).readHead();
            assertThat(failure.get()).isInstanceOf(IOException.class);
        }
    }

    @TempDir
    private Path folder;

    private final BlockingQueue<String> cuts = new LinkedBlockingQueue<>();

    /// 32 MiB for each request: of a file, or made as they are sent. Tells the path of a client that is cut.
    private TestServer large(EngineConfig config) throws IOException {
        var path = folder.resolve("large");
        var bytes = TestFile.write(path, 32 << 20);
        return TestServer.blocking(config, request -> {
            var name = request.head().path();
            return Response.of(
                    200,
                    Headers.EMPTY,
                    name.startsWith("/file")
                            ? new ResponseBody.FileRange(
                                    TestFile.ready(path).whenClosed(() -> cuts.add(name)), 0, bytes.length)
                            : new Streamed(bytes.length, sink -> {
                                try {
                                    sink.write(ByteBuffer.wrap(bytes));
                                } catch (IOException cut) {
                                    cuts.add(name);
                                    throw cut;
                                }
                            }));
        });
    }

    private void requireCut(String path) throws InterruptedException {
        assertThat(cuts.poll(10, TimeUnit.SECONDS)).isEqualTo(path);
    }

    private static RawClient begun(TestServer server, String path, int receiveBuffer) throws IOException {
        var client = new RawClient(server.server.address(), receiveBuffer);
        client.send("GET " + path + " HTTP/1.1\r\nHost: h\r\n\r\n").readHead();
        return client;
    }

    private static EngineConfig pauses(int maxConnections) {
        return new TestConfig()
                .timeouts(LONG, LONG, SHORT, SHORT)
                .pause(LONG)
                .maxConnections(maxConnections)
                .build();
    }

    /// Clients that never read, and those of answers that may hold more than a file, say that the time has passed.
    @Test
    void aClientThatHasReadOfAFileMayPause() throws Exception {
        try (var server = large(pauses(100));
                var pausing = begun(server, "/file", 0)) {
            pausing.readBytes(1 << 20);
            try (var _ = begun(server, "/file-unread", 0)) {
                requireCut("/file-unread");
            }
            try (var made = begun(server, "/made", 0)) {
                made.readBytes(1 << 20);
                requireCut("/made");
            }
            try (var _ = begun(server, "/file-unread", 0)) {
                requireCut("/file-unread");
            }
            pausing.readBytes(31 << 20);
        }
    }

    /// It may have gone.
    @Test
    void aClientThatSendsNothingMoreMayNotPause() throws Exception {
        try (var server = large(pauses(100));
                var pausing = begun(server, "/file", 0)) {
            pausing.readBytes(1 << 20);
            pausing.socket().shutdownOutput();
            requireCut("/file");
        }
    }

    @Test
    void pausesAreShorterWhereConnectionsRunShort() throws Exception {
        try (var server = large(pauses(2));
                var pausing = begun(server, "/file", 0)) {
            pausing.readBytes(1 << 20);
            try (var _ = server.connect()) {
                requireCut("/file");
            }
        }
    }

    @Test
    void aSlowHandlerIsNotTakenForASlowClient() throws Exception {
        var proceed = new CompletableFuture<Void>();
        try (var server = TestServer.blocking(limits(SHORT, SHORT, SHORT), _ -> {
                    proceed.get();
                    return Response.empty(200);
                });
                var slow = server.connect();
                var idle = server.connect()) {
            slow.send(GET);
            assertThat(idle.isClosedByServer()).as("the limits have passed").isTrue();
            try (var later = server.connect()) {
                assertThat(later.isClosedByServer()).as("and once more").isTrue();
            }
            proceed.complete(null);
            assertThat(slow.read().status()).isEqualTo(200);
        }
    }

    @Test
    void thousandsOfIdleConnectionsDoNotSlowAFreshRequest() throws Exception {
        var idle = new ArrayList<RawClient>();
        try (var server = TestServer.immediate(_ -> Response.empty(200))) {
            for (int i = 0; i < 2_000; i++) {
                idle.add(server.connect());
            }
            try (var client = server.connect()) {
                client.send(GET).read();
            }
            long best = Long.MAX_VALUE;
            for (int i = 0; i < 5; i++) {
                long start = System.nanoTime();
                try (var client = server.connect()) {
                    assertThat(client.send(GET).read().status()).isEqualTo(200);
                }
                best = Math.min(best, System.nanoTime() - start);
            }
            assertThat(Duration.ofNanos(best)).isLessThan(Duration.ofMillis(100));
        } finally {
            for (var each : idle) {
                each.close();
            }
        }
    }

    @Test
    void moreConnectionsThanAllowedAreTurnedAway() throws Exception {
        try (var server =
                        TestServer.immediate(new TestConfig().maxConnections(2).build(), _ -> Response.empty(200));
                var first = server.connect();
                var second = server.connect()) {
            first.send(GET).read();
            second.send(GET).read();
            try (var third = server.connect()) {
                assertThat(third.read().status()).isEqualTo(503);
                assertThat(third.isClosedByServer()).isTrue();
            }
            assertThat(first.send(GET).read().status()).isEqualTo(200);
        }
    }

    @Test
    void aPortInUseIsNamed() throws Exception {
        try (var server = TestServer.immediate(_ -> Response.empty(200))) {
            int port = server.server.address().getPort();
            assertThatThrownBy(() -> HttpServer.start(
                                    EngineConfig.DEFAULTS,
                                    TestServer.LOOPS,
                                    new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                                    _ -> Response.empty(200),
                                    new EngineMetrics(server.meters, "other"),
                                    FailureAnswers.PLAIN,
                                    AccessLog.NONE)
                            .close())
                    .isInstanceOf(CannotListenException.class)
                    .hasMessage("cannot listen on 127.0.0.1:" + port + ": the port is in use");
        }
    }
}
