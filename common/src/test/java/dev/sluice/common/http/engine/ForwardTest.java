package dev.sluice.common.http.engine;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.http.Forward;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.Request;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody;
import dev.sluice.common.http.ResponseBody.FileRange;
import dev.sluice.common.http.ResponseBody.Streamed;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Requests handed on to another node.
@Timeout(60)
class ForwardTest {
    private static final String GET = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";

    @TempDir
    Path folder;

    private static TestServer front(URI node) throws IOException {
        return TestServer.immediate(_ -> new Forward(node, Headers.of("x-sluice-relayed", "yes")));
    }

    private static byte[] all(Request request) throws IOException {
        var body = new ByteArrayOutputStream();
        for (var bytes = request.body().next();
                bytes.hasRemaining();
                bytes = request.body().next()) {
            var part = new byte[bytes.remaining()];
            bytes.get(part);
            body.write(part);
        }
        return body.toByteArray();
    }

    private static Response echo(Request request) throws IOException {
        var body = all(request);
        var text = new StringBuilder(request.head().method() + " "
                + request.head().path() + "?" + request.head().query() + "\n");
        request.head().headers().forEach((name, value) -> text.append(name + ": " + value + "\n"));
        return Response.of(
                201,
                Headers.of("x-echo", "1", "ETag", "\"e\""),
                ResponseBody.text(text + "\n" + new String(body, StandardCharsets.ISO_8859_1)));
    }

    @Test
    void theNodeSeesTheRequestAsTheClientSentIt() throws Exception {
        try (var back = TestServer.blocking(ForwardTest::echo);
                var front = front(back.uri());
                var client = front.connect()) {
            for (int i = 0; i < 3; i++) {
                client.send(
                        "PUT /a%20b//c?x=%2F HTTP/1.1\r\nHost: bucket.example:99\r\nAuthorization: AWS4 x\r\n"
                                + "Connection: x-secret, content-length\r\nx-secret: 1\r\nX-Sluice-Relayed: forged\r\nContent-Length: 5\r\n\r\nhello");
                var answer = client.read();
                assertThat(answer.status()).isEqualTo(201);
                assertThat(answer.field("x-echo")).contains("1");
                assertThat(answer.head().split("x-amz-request-id")).hasSize(2);
                assertThat(answer.head().split("Date:")).hasSize(2);
                assertThat(answer.text())
                        .startsWith("PUT /a%20b//c?x=%2F\n")
                        .contains("Host: bucket.example:99\n", "Authorization: AWS4 x\n", "x-sluice-relayed: yes\n")
                        .doesNotContain("x-secret", "forged")
                        .endsWith("\nhello");
            }
            assertThat(back.meter("sluice.http.connections"))
                    .as("connections are kept")
                    .isEqualTo(1);
        }
    }

    @Test
    void bodiesOfEveryFramingPassInBothDirections() throws Exception {
        var file = folder.resolve("file");
        var bytes = TestFile.write(file, 5_000_001);
        try (var back = TestServer.blocking(request -> switch (request.head().path()) {
                    case "/file" ->
                        Response.of(200, Headers.EMPTY, new FileRange(TestFile.cold(file), 0, bytes.length));
                    case "/chunks" ->
                        Response.of(200, Headers.EMPTY, new Streamed(-1, sink -> sink.write(ByteBuffer.wrap(bytes))));
                    case "/empty" -> Response.empty(204);
                    default -> {
                        var body = all(request);
                        yield Response.of(
                                200,
                                Headers.EMPTY,
                                new Streamed(body.length, sink -> sink.write(ByteBuffer.wrap(body))));
                    }
                });
                var front = front(back.uri());
                var client = front.connect()) {
            assertThat(client.send("GET /file HTTP/1.1\r\nHost: h\r\n\r\n")
                            .read()
                            .body())
                    .isEqualTo(bytes);
            var head = client.send("HEAD /file HTTP/1.1\r\nHost: h\r\n\r\n").readWithoutBody();
            assertThat(head.field("Content-Length")).contains("5000001");
            assertThat(client.send("GET /chunks HTTP/1.1\r\nHost: h\r\n\r\n")
                            .read()
                            .body())
                    .isEqualTo(bytes);
            assertThat(client.send("GET /empty HTTP/1.1\r\nHost: h\r\n\r\n")
                            .read()
                            .status())
                    .isEqualTo(204);
            client.send("PUT /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 5000001\r\n\r\n")
                    .send(bytes);
            assertThat(client.read().body()).isEqualTo(bytes);
            client.send("PUT /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n4c4b41\r\n")
                    .send(bytes)
                    .send("\r\n0\r\nx-trailer: 1\r\n\r\n");
            assertThat(client.read().body()).isEqualTo(bytes);
            client.send("PUT /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
            assertThat(client.read().body()).isEmpty();
            client.send("GET /chunks HTTP/1.0\r\nConnection: close\r\n\r\n");
            assertThat(client.read().body()).isEqualTo(bytes);
        }
    }

    @Test
    void rawBytesInThePathPassUnchanged() throws Exception {
        try (var back = TestServer.blocking(ForwardTest::echo);
                var front = front(back.uri());
                var client = front.connect()) {
            client.send("GET /caf\u00c3\u00a9?\u00fc HTTP/1.1\r\nHost: h\r\n\r\n");
            var echoed = new String(client.read().body(), StandardCharsets.UTF_8);
            assertThat(echoed).startsWith("GET /caf\u00c3\u00a9?\u00fc\n");
        }
    }

    @Test
    void pipelinedRelayedRequestsKeepTheirOrder() throws Exception {
        try (var back = TestServer.blocking(request ->
                        Response.text(200, "text/plain", request.head().path()));
                var front = front(back.uri());
                var client = front.connect()) {
            for (int i = 0; i < 100; i++) {
                client.send("GET /%d HTTP/1.1\r\nHost: h\r\n\r\n".formatted(i));
            }
            for (int i = 0; i < 100; i++) {
                assertThat(client.read().text()).isEqualTo("/" + i);
            }
        }
    }

    @Test
    void aBlockingHandlerMayForwardWhatItHasNotRead() throws Exception {
        try (var back = TestServer.blocking(ForwardTest::echo);
                var front = TestServer.blocking(_ -> new Forward(back.uri(), Headers.EMPTY));
                var client = front.connect()) {
            var body = "x".repeat(3_000_000);
            client.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 3000000\r\n\r\n" + body);
            assertThat(client.read().text()).endsWith(body);
            assertThat(front.meter("sluice.http.queued.bytes")).isZero();
        }
    }

    @Test
    void continueComesFromTheNode() throws Exception {
        try (var back = TestServer.blocking(
                        request -> request.head().path().equals("/no") ? Response.empty(403) : echo(request));
                var front = front(back.uri());
                var refused = front.connect();
                var client = front.connect()) {
            client.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
            assertThat(client.readHead()).isEqualTo("HTTP/1.1 100 Continue\r\n\r\n");
            assertThat(client.send("hello").read().text()).endsWith("hello");
            assertThat(client.send(GET).read().status()).isEqualTo(201);
            refused.send("PUT /no HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
            assertThat(refused.read().status()).isEqualTo(403);
            refused.socket().shutdownOutput();
            assertThat(refused.isClosedByServer()).isTrue();
        }
    }

    @Test
    void aDeadNodeIsA503AndTheConnectionLivesOn() throws Exception {
        int port;
        try (var socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        try (var front = front(URI.create("http://localhost:" + port));
                var client = front.connect()) {
            for (int i = 0; i < 2; i++) {
                var answer = client.send(GET).read();
                assertThat(answer.status()).isEqualTo(503);
                assertThat(answer.field("Retry-After")).contains("1");
            }
        }
    }

    @Test
    void aDeadNodeDoesNotLeaveARequestBodyInTheWayOfTheNextRequest() throws Exception {
        int port;
        try (var socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        try (var front = front(URI.create("http://localhost:" + port))) {
            for (int size : new int[] {1000, 60_000}) {
                try (var client = front.connect()) {
                    for (int i = 0; i < 3; i++) {
                        client.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: " + size + "\r\n\r\n")
                                .send(new byte[size]);
                        assertThat(client.read().field("Connection")).isEmpty();
                        assertThat(client.send(GET).read().status()).isEqualTo(503);
                    }
                }
            }
        }
    }

    @Test
    void aNodeThatDiesInMidBodyCutsTheClientsConnection() throws Exception {
        try (var listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var front = front(URI.create("http://127.0.0.1:" + listener.getLocalPort()));
                var client = front.connect()) {
            for (var head : new String[] {"Content-Length: 1000", "Transfer-Encoding: chunked"}) {
                try (var again = front.connect()) {
                    again.send(GET);
                    try (var node = listener.accept()) {
                        node.getInputStream().read(new byte[1000]);
                        node.getOutputStream()
                                .write(("HTTP/1.1 200 OK\r\n" + head + "\r\n\r\n5\r\nhello\r\n")
                                        .getBytes(StandardCharsets.US_ASCII));
                        assertThat(again.readHead()).startsWith("HTTP/1.1 200");
                    }
                    assertThat(new String(again.readToEnd(), StandardCharsets.US_ASCII))
                            .doesNotContain("0\r\n\r\n");
                }
            }
            client.send(GET);
            listener.accept().close();
            assertThat(client.read().status()).as("nothing was answered yet").isEqualTo(503);
        }
    }

    @Test
    void aStaleConnectionIsReplacedWithoutTheClientNoticing() throws Exception {
        try (var listener = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
                var front = front(URI.create("http://127.0.0.1:" + listener.getLocalPort()));
                var client = front.connect()) {
            var ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".getBytes(StandardCharsets.US_ASCII);
            client.send(GET);
            var first = listener.accept();
            first.getInputStream().read(new byte[1000]);
            first.getOutputStream().write(ok);
            assertThat(client.read().text()).isEqualTo("ok");
            // The second request reaches the old connection, which dies instead of answering.
            client.send(GET);
            first.getInputStream().read(new byte[1000]);
            first.close();
            try (var second = listener.accept()) {
                second.getInputStream().read(new byte[1000]);
                second.getOutputStream().write(ok);
                assertThat(client.read().text()).isEqualTo("ok");
                // With a part of a body sent there is no second try.
                client.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nhello");
                var head = new StringBuilder();
                while (head.indexOf("\r\n\r\n") < 0) {
                    head.append((char) second.getInputStream().read());
                }
                second.getOutputStream().write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                int seen = 0;
                var buffer = new byte[1000];
                while (!new String(buffer, 0, seen, StandardCharsets.US_ASCII).endsWith("hello")) {
                    seen += second.getInputStream().read(buffer, seen, buffer.length - seen);
                }
            }
            assertThat(client.read().status()).isEqualTo(503);
        }
    }

    @Test
    void aClientThatLeavesFreesTheNode() throws Exception {
        var failed = new CompletableFuture<Boolean>();
        try (var back = TestServer.blocking(_ -> Response.of(200, Headers.EMPTY, new Streamed(-1, sink -> {
                    try {
                        while (true) {
                            sink.write(ByteBuffer.wrap(new byte[64 << 10]));
                        }
                    } finally {
                        failed.complete(true);
                    }
                })));
                var front = front(back.uri())) {
            try (var client = front.connect()) {
                client.send(GET).readHead();
            }
            assertThat(failed.get()).isTrue();
            eventually("closed", () -> back.meter("sluice.http.connections") == 0);
        }
    }

    @Test
    void backPressureReachesThroughTheRelay() throws Exception {
        var written = new AtomicLong();
        var hold = new CountDownLatch(1);
        try (var back = TestServer.blocking(request -> {
                    if (request.head().method().equals("PUT")) {
                        request.body().next();
                        hold.await();
                        return Response.text(200, "text/plain", "" + all(request).length);
                    }
                    return Response.of(200, Headers.EMPTY, new Streamed(1L << 30, sink -> {
                        for (int i = 0; i < 1 << 14; i++) {
                            sink.write(ByteBuffer.wrap(new byte[64 << 10]));
                            written.addAndGet(64 << 10);
                        }
                    }));
                });
                var front = front(back.uri());
                var reader = new RawClient(front.server.address(), 16 << 10);
                var writer = front.connect()) {
            reader.send(GET).readHead();
            eventually("writer waits", () -> back.meter("sluice.http.queued.bytes") >= 512 << 10);
            assertThat(written.get()).isLessThan(128 << 20);

            int size = 128 << 20;
            writer.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: " + size + "\r\n\r\n");
            var sent = new AtomicLong();
            var sending = Thread.ofPlatform().start(() -> {
                try {
                    for (int i = 0; i < size; i += 1 << 16) {
                        writer.send(new byte[1 << 16]);
                        sent.addAndGet(1 << 16);
                    }
                } catch (IOException gone) {
                    throw new java.io.UncheckedIOException(gone);
                }
            });
            eventually("body waits", () -> back.meter("sluice.http.queued.bytes") >= 1 << 20);
            assertThat(sent.get()).isLessThan(size);
            hold.countDown();
            assertThat(writer.read().status()).isEqualTo(200);
            sending.join();
        }
    }

    @Test
    void aSilentNodeIsA503() throws Exception {
        var config = new TestConfig()
                .timeouts(Duration.ofSeconds(75), Duration.ofSeconds(20), Duration.ofMillis(200), Duration.ofSeconds(5))
                .forwardTimeouts(Duration.ofSeconds(1), Duration.ofMillis(200))
                .build();
        try (var listener = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
                var front = TestServer.immediate(
                        config,
                        _ -> new Forward(URI.create("http://127.0.0.1:" + listener.getLocalPort()), Headers.EMPTY));
                var client = front.connect()) {
            assertThat(client.send(GET).read().status()).isEqualTo(503);
        }
    }

    @Test
    void anAnswerThatIsNotHttpIsA503() throws Exception {
        try (var listener = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
                var front = front(URI.create("http://127.0.0.1:" + listener.getLocalPort()));
                var client = front.connect()) {
            client.send(GET);
            try (var node = listener.accept()) {
                node.getInputStream().read(new byte[1000]);
                node.getOutputStream().write("SSH-2.0-x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                assertThat(client.read().status()).isEqualTo(503);
            }
        }
    }

    @Test
    void manyClientsAtOnceEachGetTheirOwn() throws Exception {
        try (var back = TestServer.blocking(ForwardTest::echo);
                var front = front(back.uri())) {
            var threads = new Thread[16];
            var failures = new java.util.concurrent.ConcurrentLinkedQueue<Throwable>();
            for (int i = 0; i < threads.length; i++) {
                int number = i;
                threads[i] = Thread.ofVirtual().start(() -> {
                    var random = new Random(number);
                    try (var client = front.connect()) {
                        for (int round = 0; round < 50; round++) {
                            var body = (number + "-" + round + " ").repeat(random.nextInt(5_000));
                            client.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: " + body.length() + "\r\n\r\n"
                                    + body);
                            assertThat(client.read().text()).endsWith("\n" + body);
                        }
                    } catch (Throwable failed) {
                        failures.add(failed);
                    }
                });
            }
            for (var each : threads) {
                each.join();
            }
            assertThat(failures).isEmpty();
        }
    }

    @Test
    void aForwardAfterReadingTheBodyIsOurFault() throws Exception {
        try (var back = TestServer.blocking(ForwardTest::echo);
                var front = TestServer.blocking(request -> {
                    all(request);
                    return new Forward(back.uri(), Headers.EMPTY);
                });
                var client = front.connect()) {
            client.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello");
            assertThat(client.read().status()).isEqualTo(500);
            assertThatThrownBy(() -> {
                        client.socket().setSoTimeout(50);
                        client.readBytes(1);
                    })
                    .isInstanceOf(IOException.class);
        }
    }
}
