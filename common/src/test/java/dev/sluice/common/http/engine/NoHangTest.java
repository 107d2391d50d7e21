package dev.sluice.common.http.engine;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.http.Answer;
import dev.sluice.common.http.Forward;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.Request;
import dev.sluice.common.http.Response;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Requests that fail at any moment, with a body in any state: each is answered or its connection closed. What a path
/// asks for is in the comments of [Node] and [#answer].
@Timeout(90)
class NoHangTest {
    private static final int CLIENTS = 8;
    private static final int VISITS = 80;
    private static final String[] PATHS = {"/dead", "/cut", "/cut", "/back", "/unread", "/some", "/throws", "/here"};
    private static final int[] SIZES = {0, 1, 1000, 30_000, 66_000, 100_000, 700_000, 3_000_000};

    /// Reads a request's head and as much of its body as the query says, then ends the connection in the way it says.
    private static final class Node implements AutoCloseable {
        private final ServerSocket listener = new ServerSocket(0, 128, InetAddress.getLoopbackAddress());

        private Node() throws IOException {
            Thread.ofVirtual().start(() -> {
                try {
                    while (true) {
                        var socket = listener.accept();
                        Thread.ofVirtual().start(() -> serve(socket));
                    }
                } catch (IOException closed) {
                    assertThat(listener.isClosed()).isTrue();
                }
            });
        }

        private URI uri() {
            return URI.create("http://127.0.0.1:" + listener.getLocalPort());
        }

        private static void serve(Socket socket) {
            try (socket) {
                var in = socket.getInputStream();
                var head = head(in);
                var words = head.substring(head.indexOf('?') + 1, head.indexOf(" HTTP/"))
                        .split(",");
                int wanted = Integer.parseInt(words[0]);
                if (wanted > 0) { // of a body that nobody sends unasked
                    socket.getOutputStream().write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                    in.readNBytes(wanted);
                }
                var answer = switch (words[1]) {
                    case "answer" -> "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
                    case "part" -> "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nok";
                    case "half" -> "HTTP/1.1 200 OK\r\nContent-Le";
                    case "garbage" -> "SSH-2.0-x\r\n\r\n";
                    default -> "";
                };
                socket.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
                if (words[1].equals("reset")) {
                    socket.setSoLinger(true, 0);
                }
            } catch (IOException gone) {
                assertThat(gone).isNotNull();
            }
        }

        private static String head(InputStream in) throws IOException {
            var head = new StringBuilder();
            while (head.indexOf("\r\n\r\n") < 0) {
                int each = in.read();
                if (each < 0) {
                    throw new IOException("no request came");
                }
                head.append((char) each);
            }
            return head.toString();
        }

        @Override
        public void close() throws IOException {
            listener.close();
        }
    }

    private static Answer answer(Request request, URI dead, URI cut, URI back) throws IOException {
        return switch (request.head().path()) {
            case "/dead" -> new Forward(dead, Headers.EMPTY);
            case "/cut" -> new Forward(cut, Headers.EMPTY);
            case "/back" -> new Forward(back, Headers.EMPTY);
            case "/some" -> {
                request.body().next();
                yield Response.empty(409);
            }
            case "/throws" -> {
                request.body().next();
                throw new IllegalStateException("on purpose");
            }
            case "/here" -> count(request);
            default -> Response.empty(403);
        };
    }

    private static Response count(Request request) throws IOException {
        long count = 0;
        for (var part = request.body().next();
                part.hasRemaining();
                part = request.body().next()) {
            count += part.remaining();
        }
        return Response.text(200, "text/plain", "" + count);
    }

    @Test
    void everyRequestIsAnsweredOrItsConnectionClosed() throws Exception {
        long seed = System.nanoTime();
        int closedPort;
        try (var socket = new ServerSocket(0)) {
            closedPort = socket.getLocalPort();
        }
        var dead = URI.create("http://127.0.0.1:" + closedPort);
        var hung = new ConcurrentLinkedQueue<Throwable>();
        try (var cut = new Node();
                var back = TestServer.blocking(
                        request -> request.head().query().startsWith("1") ? Response.empty(403) : count(request));
                var atOnce = TestServer.immediate(head -> switch (head.path()) {
                    case "/cut" -> new Forward(cut.uri(), Headers.EMPTY);
                    case "/back" -> new Forward(back.uri(), Headers.EMPTY);
                    case "/throws" -> throw new IllegalStateException("on purpose");
                    case "/unread", "/some", "/here" -> Response.empty(403);
                    default -> new Forward(dead, Headers.EMPTY);
                });
                var later = TestServer.blocking(request -> answer(request, dead, cut.uri(), back.uri()))) {
            var clients = new Thread[CLIENTS];
            for (int i = 0; i < CLIENTS; i++) {
                int number = i;
                clients[i] = Thread.ofPlatform().start(() -> {
                    var random = new Random(seed + number);
                    for (int visit = 0; visit < VISITS && hung.isEmpty(); visit++) {
                        new Visit(random.nextBoolean() ? atOnce : later, random, hung).run();
                    }
                });
            }
            for (var client : clients) {
                client.join();
            }
            assertThat(hung).as("seed %d", seed).isEmpty();
            for (var server : new TestServer[] {atOnce, later}) {
                eventually("no connection", () -> server.meter("sluice.http.connections") == 0);
                eventually("no bytes", () -> server.meter("sluice.http.queued.bytes") == 0);
            }
        }
    }

    /// One connection: requests are written in pieces by one thread, their answers read by another.
    private static final class Visit {
        private final TestServer server;
        private final Random random;
        private final ConcurrentLinkedQueue<Throwable> hung;
        private final StringBuilder story = new StringBuilder();

        private Visit(TestServer server, Random random, ConcurrentLinkedQueue<Throwable> hung) {
            this.server = server;
            this.random = random;
            this.hung = hung;
        }

        private void run() {
            try (var client = server.connect()) {
                boolean pipelined = random.nextBoolean();
                int requests = 1 + random.nextInt(4);
                var sending = new Thread[requests];
                for (int i = 0; i < requests; i++) {
                    var message = message();
                    var before = i == 0 ? Thread.currentThread() : sending[i - 1];
                    long seed = random.nextLong();
                    boolean lastWord = i == requests - 1 && random.nextBoolean();
                    sending[i] = Thread.ofVirtual().start(() -> {
                        if (before.isVirtual()) {
                            join(before);
                        }
                        send(client, message, new Random(seed));
                        if (lastWord) {
                            stopSending(client);
                        }
                    });
                    if (!pipelined && isLast(client)) {
                        return;
                    }
                }
                for (int i = 0; pipelined && i < requests; i++) {
                    if (isLast(client)) {
                        return;
                    }
                }
                for (var each : sending) {
                    join(each);
                }
                story.append(" end");
                stopSending(client);
                client.readToEnd();
            } catch (SocketTimeoutException late) {
                hung.add(new AssertionError(story.toString(), late));
            } catch (IOException cut) {
                story.append(" cut");
            }
        }

        private static void stopSending(RawClient client) {
            try {
                client.socket().shutdownOutput();
            } catch (IOException closed) {
                assertThat(closed).isNotNull();
            }
        }

        private static void join(Thread thread) {
            try {
                thread.join();
            } catch (InterruptedException interrupted) {
                throw new IllegalStateException(interrupted);
            }
        }

        private boolean isLast(RawClient client) throws IOException {
            var answer = client.read();
            story.append(" got ").append(answer.status());
            if (answer.field("Connection").isPresent()) {
                story.append(" last");
                client.readToEnd();
                return true;
            }
            return false;
        }

        private byte[] message() {
            var path = PATHS[random.nextInt(PATHS.length)];
            int size = SIZES[random.nextInt(SIZES.length)];
            int read = size == 0 || random.nextInt(3) == 0 ? 0 : random.nextInt(size);
            var ends = new String[] {"close", "reset", "answer", "part", "half", "garbage"};
            var target = path + "?" + read + "," + ends[random.nextInt(ends.length)];
            boolean chunked = random.nextInt(4) == 0;
            boolean malformed = chunked && random.nextInt(4) == 0;
            story.append(" | " + target + " " + size + (chunked ? " chunked" : "") + (malformed ? " malformed" : ""));
            var head = "PUT " + target + " HTTP/1.1\r\nHost: h\r\n";
            var body = "x".repeat(size);
            if (!chunked) {
                return (head + "Content-Length: " + size + "\r\n\r\n" + body).getBytes(StandardCharsets.US_ASCII);
            }
            return (head + "Transfer-Encoding: chunked\r\n\r\n"
                            + (size == 0 ? "" : Integer.toHexString(size) + "\r\n" + body + "\r\n")
                            + (malformed ? "zz" : "0") + "\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII);
        }

        private static void send(RawClient client, byte[] message, Random random) {
            int piece = 1 + random.nextInt(random.nextBoolean() ? message.length : 70_000);
            try {
                for (int from = 0; from < message.length; ) {
                    int count = Math.min(from == 0 ? 60 + random.nextInt(60) : piece, message.length - from);
                    client.send(java.util.Arrays.copyOfRange(message, from, from + count));
                    from += count;
                    // What the server has done by the time the next piece comes is what this test is about.
                    if (random.nextInt(3) > 0) {
                        LockSupport.parkNanos(random.nextInt(1_500_000));
                    }
                    piece = Math.max(piece, message.length / 20);
                }
            } catch (IOException cut) {
                assertThat(cut).isNotNull();
            }
        }
    }
}
