package dev.sluice.common.http.engine;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.http.Forward;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.Request;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody.FileRange;
import dev.sluice.common.http.ResponseBody.Streamed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Clients that come, ask for anything, and leave at any moment: whatever they do, nothing may stay behind.
@Timeout(60)
class ChurnTest {
    private static final int CLIENTS = 12;
    private static final int VISITS = 60;

    @TempDir
    Path folder;

    private final ConcurrentLinkedQueue<TestFile> files = new ConcurrentLinkedQueue<>();

    private Response serve(Path path, Request request) throws IOException {
        int length = Integer.parseInt(request.head().query());
        return switch (request.head().path()) {
            case "/ready" -> file(TestFile.ready(path), length);
            case "/cold" -> file(TestFile.cold(path), length);
            case "/bad" ->
                file(
                        TestFile.cold(
                                path,
                                offset -> offset < 1 << 20
                                        ? CompletableFuture.completedFuture(null)
                                        : CompletableFuture.failedFuture(new IOException("on purpose"))),
                        length);
            case "/stream" ->
                Response.of(200, Headers.EMPTY, new Streamed(length % 2 == 0 ? length : -1, sink -> {
                    for (int left = length; left > 0; left -= Math.min(left, 10_000)) {
                        sink.write(ByteBuffer.allocate(Math.min(left, 10_000)));
                    }
                }));
            case "/unread" -> Response.empty(409);
            default -> {
                long count = 0;
                for (var part = request.body().next();
                        part.hasRemaining();
                        part = request.body().next()) {
                    count += part.remaining();
                }
                yield Response.text(200, "text/plain", "" + count);
            }
        };
    }

    private Response file(TestFile file, int length) {
        files.add(file);
        return Response.of(200, Headers.EMPTY, new FileRange(file, 0, length));
    }

    @Test
    void nothingStaysBehind() throws Exception {
        long seed = System.nanoTime();
        var path = folder.resolve("file");
        TestFile.write(path, 3 << 20);
        var unexpected = new ConcurrentLinkedQueue<Throwable>();
        try (var back = TestServer.blocking(request -> serve(path, request));
                var front = TestServer.immediate(_ -> new Forward(back.uri(), Headers.EMPTY))) {
            var clients = new Thread[CLIENTS];
            for (int i = 0; i < CLIENTS; i++) {
                var random = new Random(seed + i);
                clients[i] = Thread.ofPlatform().start(() -> {
                    try {
                        for (int visit = 0; visit < VISITS; visit++) {
                            visit(random.nextBoolean() ? back : front, random);
                        }
                    } catch (Throwable thrown) {
                        unexpected.add(thrown);
                    }
                });
            }
            for (var client : clients) {
                client.join();
            }
            assertThat(unexpected).as("seed %d", seed).isEmpty();
            for (var server : new TestServer[] {front, back}) {
                eventually("no request", () -> server.meter("sluice.http.requests.in.flight") == 0);
                eventually("no bytes", () -> server.meter("sluice.http.queued.bytes") == 0);
            }
            eventually("no connection", () -> front.meter("sluice.http.connections") == 0);
            eventually("every file closed", () -> files.stream().allMatch(file -> file.closings.get() == 1));
            try (var client = front.connect()) {
                assertThat(client.send("GET /ready?3000000 HTTP/1.1\r\nHost: h\r\n\r\n")
                                .read()
                                .body())
                        .hasSize(3_000_000);
            }
        }
        assertThat(files).as("seed %d", seed).allMatch(file -> file.closings.get() == 1);
    }

    private static void visit(TestServer server, Random random) throws IOException {
        try (var client = server.connect()) {
            int requests = 1 + random.nextInt(3);
            for (int i = 0; i < requests; i++) {
                send(client, random);
                switch (random.nextInt(4)) {
                    case 0 -> {
                        return;
                    }
                    case 1 -> {
                        client.readHead();
                        return;
                    }
                    default -> client.read();
                }
            }
        } catch (java.net.SocketException | java.io.EOFException cut) {
            // The answer to a bad file is a cut connection, and an unread body may close one under our hands.
            assertThat(cut).isNotNull();
        }
    }

    private static void send(RawClient client, Random random) throws IOException {
        var paths = new String[] {"/ready", "/cold", "/bad", "/stream", "/unread", "/put"};
        var path = paths[random.nextInt(paths.length)];
        int length = 1 + random.nextInt(random.nextBoolean() ? 3 << 20 : 50_000);
        boolean body = path.equals("/put") || path.equals("/unread");
        var head = " " + path + "?" + length + " HTTP/1.1\r\nHost: h\r\n";
        if (!body) {
            client.send("GET" + head + "\r\n");
            return;
        }
        int sent = random.nextInt(4) == 0 ? random.nextInt(length) : length;
        if (random.nextBoolean()) {
            client.send("PUT" + head + "Content-Length: " + length + "\r\n\r\n").send(new byte[sent]);
        } else {
            client.send("PUT" + head + "Transfer-Encoding: chunked\r\n\r\n" + Integer.toHexString(length) + "\r\n")
                    .send(new byte[sent])
                    .send(sent == length ? "\r\n0\r\n\r\n" : "");
        }
        if (sent < length) {
            throw new java.io.EOFException("left in mid-body, on purpose");
        }
    }
}
