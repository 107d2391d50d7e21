package dev.sluice.common.http.engine;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.http.Headers;
import dev.sluice.common.http.Request;
import dev.sluice.common.http.Response;
import dev.sluice.testing.Bytes;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Bodies of requests: framing, `Expect`, back-pressure, and answers that do not wait for them.
class RequestBodyTest {
    private static final String GET = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";

    private static Response digest(Request request) throws Exception {
        var digest = MessageDigest.getInstance("SHA-256");
        long length = 0;
        try (var body = request.body()) {
            for (var bytes = body.next(); bytes.hasRemaining(); bytes = body.next()) {
                length += bytes.remaining();
                digest.update(bytes);
            }
        }
        return Response.text(200, "text/plain", length + " " + HexFormat.of().formatHex(digest.digest()));
    }

    private static String digestOf(byte[] bytes) throws Exception {
        return bytes.length + " "
                + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }

    private static byte[] random(int size) {
        return Bytes.random(size, size);
    }

    @Test
    void bodiesOfEverySizeArriveWholeAndTheConnectionGoesOn() throws Exception {
        try (var server = TestServer.blocking(RequestBodyTest::digest);
                var client = server.connect()) {
            for (int size : new int[] {0, 1, 1000, 65_536, 1_000_000, 20_000_000}) {
                var bytes = random(size);
                client.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: " + size + "\r\n\r\n")
                        .send(bytes);
                assertThat(client.read().text()).isEqualTo(digestOf(bytes));
            }
        }
    }

    @Test
    void chunksArriveAsOneBody() throws Exception {
        try (var server = TestServer.blocking(RequestBodyTest::digest);
                var client = server.connect()) {
            var bytes = random(300_000);
            for (int piece : new int[] {100_000, 77_777, 300_000}) {
                client.send("PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
                for (int from = 0; from < bytes.length; from += piece) {
                    int count = Math.min(piece, bytes.length - from);
                    client.send(Integer.toHexString(count) + ";extension=1\r\n");
                    client.send(java.util.Arrays.copyOfRange(bytes, from, from + count));
                    client.send("\r\n");
                }
                client.send("0\r\nx-trailer: 1\r\n\r\n");
                assertThat(client.read().text()).isEqualTo(digestOf(bytes));
            }
        }
    }

    @Test
    void continueIsSentWhenTheBodyIsPulled() throws Exception {
        var pull = new CountDownLatch(1);
        try (var server = TestServer.blocking(request -> {
                    pull.await();
                    return digest(request);
                });
                var client = server.connect()) {
            client.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
            client.socket().setSoTimeout(100);
            assertThatThrownBy(client::readHead).isInstanceOf(SocketTimeoutException.class);
            client.socket().setSoTimeout(10_000);
            pull.countDown();
            assertThat(client.readHead()).isEqualTo("HTTP/1.1 100 Continue\r\n\r\n");
            client.send("hello");
            var answer = client.read();
            assertThat(answer.text()).isEqualTo(digestOf("hello".getBytes(StandardCharsets.US_ASCII)));
            assertThat(answer.field("Connection")).isEmpty();
            assertThat(client.send(GET).read().status()).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"200", "", "miracle"})
    void anotherExpectationIsIgnored(String expectation) throws Exception {
        try (var server = TestServer.blocking(RequestBodyTest::digest);
                var client = server.connect()) {
            client.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nExpect: " + expectation + "\r\n\r\nhello");
            var answer = client.read();
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.text()).isEqualTo(digestOf("hello".getBytes(StandardCharsets.US_ASCII)));
        }
    }

    @Test
    void continueIsNotSentForABodyThatIsNotRead() throws Exception {
        try (var server = TestServer.blocking(_ -> Response.empty(403));
                var client = server.connect()) {
            client.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
            var answer = client.read();
            assertThat(answer.status()).isEqualTo(403);
            assertThat(answer.field("Connection")).contains("close");
            client.socket().shutdownOutput();
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void aSmallUnreadBodyIsSkippedAndALargeOneClosesAfterTheAnswerArrived() throws Exception {
        try (var server = TestServer.blocking(_ -> Response.empty(403));
                var small = server.connect();
                var large = server.connect()) {
            small.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello");
            assertThat(small.read().field("Connection")).isEmpty();
            assertThat(small.send(GET).read().status()).isEqualTo(403);

            // The client does not look for an answer before it has sent everything.
            large.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 30000000\r\n\r\n");
            large.send(new byte[30_000_000]);
            var answer = large.read();
            assertThat(answer.status()).isEqualTo(403);
            assertThat(answer.field("Connection")).contains("close");
            assertThat(large.isClosedByServer()).isTrue();
        }
    }

    @Test
    void workOnASmallBodyStartsWhenTheBodyIsThere() throws Exception {
        var begun = new AtomicLong();
        try (var server = TestServer.blocking(request -> {
                    begun.incrementAndGet();
                    return digest(request);
                });
                var client = server.connect()) {
            client.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nhello");
            eventually("arrived", () -> server.meter("sluice.http.queued.bytes") == 5);
            assertThat(begun.get()).isZero();
            client.send("again");
            assertThat(client.read().text()).isEqualTo(digestOf("helloagain".getBytes(StandardCharsets.US_ASCII)));
            assertThat(begun.get()).isOne();
        }
    }

    /// Who waits for all of a body while the client is held back would wait for ever.
    @Test
    void aSmallBodyThatIsHeldBackIsReadAllTheSame() throws Exception {
        try (var server = TestServer.blocking(withQueue(100), RequestBodyTest::digest);
                var client = server.connect()) {
            var bytes = random(30_000);
            client.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 30000\r\n\r\n");
            client.send(java.util.Arrays.copyOf(bytes, 1000));
            eventually("begun", () -> server.meter("sluice.http.requests.in.flight") == 1);
            client.send(java.util.Arrays.copyOfRange(bytes, 1000, 30_000));
            assertThat(client.read().text()).isEqualTo(digestOf(bytes));
        }
    }

    private static EngineConfig withQueue(int bytes) {
        return new TestConfig().inboundQueue(bytes).build();
    }

    /// Each handler is stuck with a piece of its body, as uploads to a drive that hardly answers are.
    @Test
    void manyStuckBodiesTakeLittleMoreThanTheMemoryForBodies() throws Exception {
        int clients = 64;
        long budget = 1 << 20;
        var body = random(1 << 20);
        var stuck = new CountDownLatch(clients);
        var proceed = new CountDownLatch(1);
        var config = new TestConfig().memoryBudget(budget).build();
        try (var server = TestServer.blocking(config, request -> {
                    for (int piece = 0; piece < 3; piece++) {
                        request.body().next();
                    }
                    stuck.countDown();
                    proceed.await();
                    return digest(request);
                });
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var answers = new ArrayList<Future<Integer>>();
            for (int i = 0; i < clients; i++) {
                answers.add(threads.submit(() -> {
                    try (var client = server.connect()) {
                        client.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: " + body.length + "\r\n\r\n");
                        client.send(body);
                        return client.read().status();
                    }
                }));
            }
            stuck.await();
            assertThat(server.meter("sluice.http.queued.bytes")).isBetween((double) budget / 2, 2.0 * budget);
            proceed.countDown();
            for (var answer : answers) {
                assertThat(answer.get()).isEqualTo(200);
            }
            eventually("nothing kept", () -> server.meter("sluice.http.queued.bytes") == 0);
        }
    }

    @Test
    void aSlowHandlerHoldsTheClientBack() throws Exception {
        var proceed = new CountDownLatch(1);
        try (var server = TestServer.blocking(request -> {
                    request.body().next();
                    proceed.await();
                    return digest(request);
                });
                var client = server.connect()) {
            int size = 64 << 20;
            var sent = new AtomicLong();
            client.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: " + size + "\r\n\r\n");
            var sending = Thread.ofPlatform().start(() -> {
                try {
                    var piece = new byte[64 << 10];
                    for (int i = 0; i < size; i += piece.length) {
                        client.send(piece);
                        sent.addAndGet(piece.length);
                    }
                } catch (IOException failed) {
                    throw new java.io.UncheckedIOException(failed);
                }
            });
            int queue = EngineConfig.DEFAULTS.inboundQueueBytes();
            eventually("full", () -> server.meter("sluice.http.queued.bytes") >= queue);
            int read =
                    128 << 10; // at once, at most: the queue may go beyond its bound by one, and the handler holds one
            assertThat(server.meter("sluice.http.queued.bytes")).isLessThanOrEqualTo(queue + 2 * read);
            assertThat(sent.get()).isLessThan(size);
            proceed.countDown();
            assertThat(client.read().status()).isEqualTo(200);
            sending.join();
            eventually("empty", () -> server.meter("sluice.http.queued.bytes") == 0);
        }
    }

    /// As a request does that waits until this node may serve it.
    @Test
    void aBodyThatIsHeldBackIsNotReadOnBeforeItIsPulled() throws Exception {
        var held = new CountDownLatch(1);
        var proceed = new CountDownLatch(1);
        try (var server = TestServer.blocking(request -> {
                    request.body().holdBack();
                    held.countDown();
                    proceed.await();
                    return digest(request);
                });
                var client = server.connect()) {
            var bytes = random(32 << 20);
            client.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: " + bytes.length + "\r\n\r\n");
            held.await();
            var sent = new AtomicLong();
            var sending = Thread.ofPlatform().start(() -> {
                try {
                    for (int i = 0; i < bytes.length; i += 64 << 10) {
                        client.send(java.util.Arrays.copyOfRange(bytes, i, i + (64 << 10)));
                        sent.addAndGet(64 << 10);
                    }
                } catch (IOException failed) {
                    throw new java.io.UncheckedIOException(failed);
                }
            });
            awaitStandstill(sent);
            int read = 128 << 10; // at once, at most
            assertThat(server.meter("sluice.http.queued.bytes")).isPositive().isLessThanOrEqualTo(read);
            proceed.countDown();
            assertThat(client.read().text()).isEqualTo(digestOf(bytes));
            sending.join();
        }
    }

    /// Until it has not grown for half a second.
    private static void awaitStandstill(AtomicLong sent) throws InterruptedException {
        var last = new AtomicLong(-1);
        var since = new AtomicLong(System.nanoTime());
        eventually("it stands still", () -> {
            long now = System.nanoTime();
            if (last.getAndSet(sent.get()) != sent.get()) {
                since.set(now);
            }
            return now - since.get() > 500_000_000;
        });
    }

    @Test
    void aClientThatLeavesInMidBodyIsAFailureForTheReader() throws Exception {
        var failure = new AtomicReference<Throwable>(new AssertionError("none yet"));
        var done = new CountDownLatch(1);
        try (var server = TestServer.blocking(request -> {
            try {
                return digest(request);
            } catch (IOException cut) {
                failure.set(cut);
                throw cut;
            } finally {
                done.countDown();
            }
        })) {
            try (var client = server.connect()) {
                client.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 5000\r\n\r\nhello");
                eventually("begun", () -> server.meter("sluice.http.requests.in.flight") == 1);
            }
            done.await();
            assertThat(failure.get()).isInstanceOf(IOException.class);
            eventually("logged", () -> !server.accesses.isEmpty());
            assertThat(server.accesses.getFirst().complete()).isFalse();
            eventually("nothing kept", () -> server.meter("sluice.http.queued.bytes") == 0);
        }
    }

    @Test
    void aBodyThatTurnsOutMalformedIsOneAnswerAndTheEnd() throws Exception {
        var chunked = "PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n";
        try (var server = TestServer.blocking(
                        request -> request.head().query().isEmpty() ? digest(request) : Response.empty(409));
                var reading = server.connect();
                var answered = server.connect()) {
            reading.send(chunked).send("zz\r\n");
            assertThat(reading.read().status()).isEqualTo(400);
            assertThat(reading.isClosedByServer()).isTrue();

            answered.send("PUT /?unread HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
            assertThat(answered.read().status()).isEqualTo(409);
            answered.send("zz\r\n").socket().shutdownOutput();
            assertThat(answered.isClosedByServer()).isTrue();
        }
    }

    @Test
    void anUnreadBodyDoesNotKeepItsMemory() throws Exception {
        try (var server = TestServer.blocking(request -> {
                    request.body().next();
                    return Response.of(409, Headers.EMPTY, dev.sluice.common.http.ResponseBody.NONE);
                });
                var client = server.connect()) {
            client.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n");
            client.send(new byte[1_000_000]);
            assertThat(client.read().status()).isEqualTo(409);
            eventually("nothing kept", () -> server.meter("sluice.http.queued.bytes") == 0);
        }
    }
}
