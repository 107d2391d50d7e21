package dev.sluice.common.http.engine;

import static dev.sluice.testing.Eventually.eventually;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.http.Answer;
import dev.sluice.common.http.Blocking;
import dev.sluice.common.http.Bodies;
import dev.sluice.common.http.Forward;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.HttpHandler;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody.FileRange;
import dev.sluice.common.http.ResponseBody.Streamed;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import javax.net.SocketFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Clients that do not read what they asked for: the memory that waits for them is counted and bounded.
@Timeout(120)
class SlowReadersTest {
    private static final long LIMIT = 512 << 10;
    private static final int READERS = 12;
    private static final int SIZE = 8 << 20;
    private static final int EQUAL_LOOKS = 300;
    /// What a reader may hold when the limit is reached, with its frames and what the queue itself takes.
    private static final int SHARE = 20 << 10;
    /// A window of a file, a piece of a stream: what one reader may have taken just before the limit was reached.
    private static final long OVERSHOOT = 1 << 20;

    /// What may be unsent, two pieces of 64 KiB that the system gathers, and what is on its way.
    private static final long MOST_IN_SYSTEM = (256 + 3 * 64) << 10;

    private static final EngineConfig SMALL =
            new TestConfig().memoryBudget(LIMIT).build();

    @TempDir
    Path folder;

    private final List<Socket> readers = new ArrayList<>();
    private static TestKeys keys;

    @BeforeAll
    static void makeKeys(@TempDir Path forKeys) throws Exception {
        keys = TestKeys.make(forKeys);
    }

    @AfterEach
    void closeReaders() throws IOException {
        for (var each : readers) {
            each.close();
        }
    }

    private Answer large(RequestHead head) {
        try {
            return switch (head.path()) {
                case "/file" -> Response.of(200, Headers.EMPTY, new FileRange(TestFile.ready(content()), 0, SIZE));
                case "/fetched" -> {
                    var file = TestFile.ready(content());
                    file.leaving = _ -> true;
                    yield Response.of(200, Headers.EMPTY, new FileRange(file, 0, SIZE));
                }
                case "/stream" ->
                    Response.of(200, Headers.EMPTY, new Streamed(SIZE, sink -> sink.write(ByteBuffer.allocate(SIZE))));
                case "/read" ->
                    Response.of(200, Headers.EMPTY, new Streamed(SIZE, sink -> {
                        for (int at = 0; at < SIZE; ) {
                            at += sink.write(
                                    Math.min(256 << 10, SIZE - at), into -> into.put(new byte[into.remaining()]));
                        }
                    }));
                default -> Response.text(200, "text/plain", "small");
            };
        } catch (IOException failed) {
            throw new IllegalStateException(failed);
        }
    }

    private Path content() {
        return folder.resolve("content");
    }

    private void askAndDoNotRead(SocketFactory sockets, TestServer server, String path, int number) throws IOException {
        for (int i = 0; i < number; i++) {
            var socket = sockets.createSocket();
            readers.add(socket);
            socket.setReceiveBufferSize(4 << 10);
            socket.connect(server.server.address());
            socket.getOutputStream().write(("GET " + path + " HTTP/1.1\r\nHost: h\r\n\r\n").getBytes(US_ASCII));
            socket.getOutputStream().flush();
            assertThat(socket.getInputStream().read()).isEqualTo('H');
        }
    }

    /// The system's memory for sockets is one for the whole machine. When it is used up, the system resets connections.
    @ParameterizedTest
    @ValueSource(strings = {"/file", "/fetched", "/stream", "/read"})
    void theSystemHoldsLittleToo(String path) throws Exception {
        TestFile.write(content(), SIZE);
        try (var server = TestServer.immediate(EngineConfig.DEFAULTS, this::large)) {
            askAndDoNotRead(SocketFactory.getDefault(), server, path, READERS);
            awaitFull(server);
            long most = READERS * MOST_IN_SYSTEM;
            assertThat(heldBySystem(server.server.address().getPort())).isBetween(1L, most);
        }
    }

    /// The bytes of all connections to a port that their clients' systems have not taken.
    private static long heldBySystem(int port) throws IOException {
        var lines = new ArrayList<>(Files.readAllLines(Path.of("/proc/net/tcp")));
        lines.addAll(Files.readAllLines(Path.of("/proc/net/tcp6")));
        return lines.stream()
                .map(line -> line.strip().split("\\s+"))
                .filter(fields -> fields[1].endsWith(":%04X".formatted(port)))
                .mapToLong(fields -> Long.parseLong(fields[4].substring(0, 8), 16))
                .sum();
    }

    private static double held(TestServer server) {
        return server.meter("sluice.http.queued.bytes");
    }

    private static void requireOthersAreServed(SocketFactory sockets, TestServer server) throws IOException {
        try (var socket = sockets.createSocket()) {
            socket.connect(server.server.address());
            socket.setSoTimeout(10_000);
            socket.getOutputStream()
                    .write("GET /small HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n".getBytes(US_ASCII));
            assertThat(new String(socket.getInputStream().readAllBytes(), US_ASCII))
                    .startsWith("HTTP/1.1 200")
                    .endsWith("small");
        }
    }

    /// Each of them has got what it may hold: how much that is when a socket is full is not foreseeable.
    private static void awaitFull(TestServer server) throws InterruptedException {
        var looks = new ArrayList<Double>();
        eventually("no more is held", () -> {
            double now = held(server);
            if (!looks.isEmpty() && looks.getLast() != now) {
                looks.clear();
            }
            looks.add(now);
            return now >= LIMIT / 8.0 && looks.size() >= EQUAL_LOOKS;
        });
    }

    private static void requireBounded(TestServer server) throws InterruptedException {
        awaitFull(server);
        assertThat(held(server)).isLessThanOrEqualTo(LIMIT + READERS * SHARE + OVERSHOOT);
    }

    /// Some leave, and the others read on after all: these get the whole, and nothing is held for open connections.
    private void requireNothingStays(TestServer server) throws Exception {
        for (var each : readers.subList(0, READERS / 3)) {
            each.close();
        }
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var reading = readers.subList(READERS / 3, READERS).stream()
                    .map(each -> threads.submit(() -> readAll(each)))
                    .toList();
            for (var each : reading) {
                assertThat(each.get()).isEqualTo(SIZE);
            }
        }
        eventually("nothing is held", () -> held(server) == 0);
    }

    private static int readAll(Socket socket) throws IOException {
        socket.setSoTimeout(20_000);
        var answer = new BufferedInputStream(socket.getInputStream());
        for (var end = ""; !end.equals("\r\n\r\n"); ) {
            end += (char) answer.read();
            end = end.substring(Math.max(0, end.length() - 4));
        }
        answer.skipNBytes(SIZE);
        return SIZE;
    }

    @ParameterizedTest
    @ValueSource(strings = {"/file", "/fetched", "/stream", "/read"})
    void plain(String path) throws Exception {
        requireSlowReadersCostLittle(SocketFactory.getDefault(), SMALL, path);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/file", "/fetched", "/stream", "/read"})
    void behindTls(String path) throws Exception {
        requireSlowReadersCostLittle(keys.trusting().getSocketFactory(), smallWithTls(), path);
    }

    private EngineConfig smallWithTls() {
        return new TestConfig().memoryBudget(LIMIT).tls(keys.files()).build();
    }

    private void requireSlowReadersCostLittle(SocketFactory sockets, EngineConfig config, String path)
            throws Exception {
        TestFile.write(content(), SIZE);
        try (var server = TestServer.immediate(config, this::large)) {
            askAndDoNotRead(sockets, server, path, READERS);
            requireBounded(server);
            requireOthersAreServed(sockets, server);
            requireNothingStays(server);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void relayed(boolean secure) throws Exception {
        TestFile.write(content(), SIZE);
        var config = secure ? smallWithTls() : SMALL;
        var sockets = secure ? keys.trusting().getSocketFactory() : SocketFactory.getDefault();
        var generous = secure ? new TestConfig().tls(keys.files()).build() : EngineConfig.DEFAULTS;
        var others = EventLoops.start(2);
        try (var back = TestServer.immediate(generous, this::large, others);
                var front = TestServer.immediate(config, head -> new Forward(address(back, secure), Headers.EMPTY))) {
            askAndDoNotRead(sockets, front, "/file", READERS);
            requireBounded(front);
            requireOthersAreServed(sockets, front);
            requireNothingStays(front);
        } finally {
            others.close();
        }
    }

    private static URI address(TestServer server, boolean secure) {
        return URI.create((secure ? "https" : "http") + "://127.0.0.1:"
                + server.server.address().getPort());
    }

    /// Work that has a short body in hand, as many times as there are clients.
    @Test
    void whatWaitsAtTwiceTheLimitIsAllThereIs() throws Exception {
        var hold = new CountDownLatch(1);
        HttpHandler handler = new HttpHandler() {
            @Override
            public Answer answer(RequestHead head) {
                if (head.path().equals("/vital")) {
                    return Response.text(200, "text/plain", "alive");
                }
                return new Blocking(body -> {
                    try {
                        Bodies.read(body, 1 << 20);
                        hold.await();
                    } catch (IOException | InterruptedException failed) {
                        throw new IllegalStateException(failed);
                    }
                    return Response.text(200, "text/plain", "done");
                });
            }

            @Override
            public boolean isVital(RequestHead head) {
                return head.path().equals("/vital");
            }
        };
        var meters = new SimpleMeterRegistry();
        int body = 30 << 10;
        var server = HttpServer.start(
                SMALL,
                TestServer.LOOPS,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                handler,
                new EngineMetrics(meters, "test"),
                FailureAnswers.PLAIN,
                AccessLog.NONE);
        var clients = new ArrayList<RawClient>();
        try {
            int fit = (int) (2 * LIMIT / body) + 1;
            for (int i = 0; i < fit; i++) {
                clients.add(new RawClient(server.address())
                        .send("PUT /k HTTP/1.1\r\nHost: h\r\nContent-Length: " + body + "\r\n\r\n")
                        .send(new byte[body]));
                double expected = (i + 1.0) * body;
                eventually(
                        "body " + i + " is counted",
                        () -> meters.get("sluice.http.queued.bytes").gauge().value() >= expected);
            }
            try (var late = new RawClient(server.address())) {
                var answer = late.send("GET /k HTTP/1.1\r\nHost: h\r\n\r\n").read();
                assertThat(answer.status()).isEqualTo(503);
                assertThat(answer.field("Retry-After")).contains("1");
                assertThat(late.send("GET /vital HTTP/1.1\r\nHost: h\r\n\r\n")
                                .read()
                                .text())
                        .isEqualTo("alive");
            }
            hold.countDown();
            for (var each : clients) {
                assertThat(each.read().status()).isEqualTo(200);
            }
            eventually(
                    "nothing is held",
                    () -> meters.get("sluice.http.queued.bytes").gauge().value() == 0);
        } finally {
            hold.countDown();
            for (var each : clients) {
                each.close();
            }
            server.close();
        }
    }
}
