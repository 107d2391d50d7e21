package dev.sluice.common.http.engine;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.http.Headers;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody;
import java.util.HashSet;
import org.junit.jupiter.api.Test;

/// Heads, connections and the order of answers.
class MessageTest {
    private static final String GET = "GET /%s HTTP/1.1\r\nHost: h\r\n\r\n";

    @Test
    void aConnectionServesOneRequestAfterTheOther() throws Exception {
        try (var server = TestServer.immediate(head -> Response.text(200, "text/plain", head.path()));
                var client = server.connect()) {
            var ids = new HashSet<String>();
            for (int i = 0; i < 5; i++) {
                var answer = client.send(GET.formatted(i)).read();
                assertThat(answer.status()).isEqualTo(200);
                assertThat(answer.text()).isEqualTo("/" + i);
                assertThat(answer.field("Server")).contains("Sluice");
                assertThat(answer.field("Date").orElseThrow()).endsWith("GMT");
                assertThat(answer.field("Content-Type")).contains("text/plain");
                ids.add(answer.field("x-amz-request-id").orElseThrow());
            }
            assertThat(ids).hasSize(5);
        }
    }

    @Test
    void theHandlerSeesTheRequestAsSent() throws Exception {
        try (var server = TestServer.immediate(head -> Response.text(
                        200,
                        "text/plain",
                        head.method() + "|" + head.path() + "|" + head.query() + "|"
                                + head.headers().all("x-twice") + "|" + head.contentLength()));
                var client = server.connect()) {
            client.send("DELETE /a%20b/%2e%2e//c?x=1&y=%2f HTTP/1.1\r\nHost: h\r\nX-Twice: 1\r\nx-twice: 2\r\n\r\n");
            assertThat(client.read().text()).isEqualTo("DELETE|/a%20b/%2e%2e//c|x=1&y=%2f|[1, 2]|0");
            client.send("GET http://other/path?q HTTP/1.1\r\nHost: h\r\n\r\n");
            assertThat(client.read().text()).isEqualTo("GET|/path|q|[]|0");
        }
    }

    @Test
    void pipelinedRequestsAreAnsweredInOrderWhateverTheyTake() throws Exception {
        try (var server = TestServer.blocking(request -> {
                    var path = request.head().path();
                    if (path.endsWith("0")) {
                        return Response.of(
                                200,
                                Headers.EMPTY,
                                new ResponseBody.Streamed(
                                        -1,
                                        sink -> sink.write(java.nio.ByteBuffer.wrap(
                                                path.getBytes(java.nio.charset.StandardCharsets.US_ASCII)))));
                    }
                    return Response.text(200, "text/plain", path);
                });
                var client = server.connect()) {
            var requests = new StringBuilder();
            for (int i = 0; i < 300; i++) {
                requests.append(GET.formatted(i));
            }
            client.send(requests.toString());
            for (int i = 0; i < 300; i++) {
                assertThat(client.read().text()).isEqualTo("/" + i);
            }
        }
    }

    @Test
    void pipelinedRequestsAnsweredAtOnceStayInOrderToo() throws Exception {
        try (var server = TestServer.immediate(head -> Response.text(200, "text/plain", head.path()));
                var client = server.connect()) {
            var requests = new StringBuilder();
            for (int i = 0; i < 5_000; i++) {
                requests.append(GET.formatted(i));
            }
            var sending = Thread.ofVirtual().start(() -> {
                try {
                    client.send(requests.toString());
                } catch (java.io.IOException gone) {
                    throw new java.io.UncheckedIOException(gone);
                }
            });
            for (int i = 0; i < 5_000; i++) {
                assertThat(client.read().text()).isEqualTo("/" + i);
            }
            sending.join();
        }
    }

    @Test
    void connectionCloseIsHonoured() throws Exception {
        try (var server = TestServer.immediate(_ -> Response.empty(200));
                var client = server.connect()) {
            var answer = client.send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
                    .read();
            assertThat(answer.field("Connection")).contains("close");
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void http10ClosesUnlessAskedToKeepAlive() throws Exception {
        try (var server = TestServer.blocking(request -> request.head().path().equals("/stream")
                        ? Response.of(
                                200,
                                Headers.EMPTY,
                                new ResponseBody.Streamed(
                                        -1, sink -> sink.write(java.nio.ByteBuffer.wrap(new byte[10]))))
                        : Response.text(200, "text/plain", "x"));
                var first = server.connect();
                var second = server.connect()) {
            var answer = first.send("GET / HTTP/1.0\r\n\r\n").read();
            assertThat(answer.text()).isEqualTo("x");
            assertThat(first.isClosedByServer()).isTrue();
            var kept = second.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                    .read();
            assertThat(kept.field("Connection")).contains("keep-alive");
            var stream = second.send("GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                    .read();
            assertThat(stream.field("Transfer-Encoding")).isEmpty();
            assertThat(stream.body()).hasSize(10);
        }
    }

    @Test
    void answersToHeadAndEmptyStatusesHaveNoBody() throws Exception {
        try (var server = TestServer.immediate(head -> switch (head.path()) {
                    case "/length" -> Response.of(200, Headers.EMPTY, new ResponseBody.LengthOnly(5L << 30));
                    case "/bytes" -> Response.text(200, "text/plain", "hello");
                    case "/stream" ->
                        Response.of(200, Headers.EMPTY, new ResponseBody.Streamed(7, _ -> {
                            throw new AssertionError("not to be written");
                        }));
                    case "/304" -> Response.of(304, Headers.of("ETag", "\"e\""), ResponseBody.text("not sent"));
                    default -> Response.empty(204);
                });
                var client = server.connect()) {
            var head = "HEAD %s HTTP/1.1\r\nHost: h\r\n\r\n";
            assertThat(client.send(head.formatted("/length")).readWithoutBody().field("Content-Length"))
                    .contains("5368709120");
            assertThat(client.send(head.formatted("/bytes")).readWithoutBody().field("Content-Length"))
                    .contains("5");
            assertThat(client.send(head.formatted("/stream")).readWithoutBody().field("Content-Length"))
                    .contains("7");
            var notModified = client.send(GET.formatted("304")).read();
            assertThat(notModified.status()).isEqualTo(304);
            assertThat(notModified.field("ETag")).contains("\"e\"");
            var empty = client.send(GET.formatted("204")).read();
            assertThat(empty.status()).isEqualTo(204);
            assertThat(empty.field("Content-Length")).isEmpty();
            assertThat(client.send(GET.formatted("bytes")).read().text()).isEqualTo("hello");
        }
    }

    @Test
    void aThrowingHandlerIsA500WithTheRequestIdAndTheConnectionLivesOn() throws Exception {
        try (var server = TestServer.blocking(_ -> {
                    throw new IllegalStateException("on purpose");
                });
                var client = server.connect()) {
            for (int i = 0; i < 2; i++) {
                var answer = client.send(GET.formatted("")).read();
                assertThat(answer.status()).isEqualTo(500);
                assertThat(answer.text())
                        .contains(answer.field("x-amz-request-id").orElseThrow())
                        .doesNotContain("on purpose");
            }
        }
    }

    @Test
    void aHeaderThatWouldBreakTheMessageIsA500() throws Exception {
        try (var server = TestServer.immediate(_ -> Response.empty(200).with("x-evil", "1\r\nSet-Cookie: stolen"));
                var client = server.connect()) {
            var answer = client.send(GET.formatted("")).read();
            assertThat(answer.status()).isEqualTo(500);
            assertThat(answer.head()).doesNotContain("stolen");
        }
    }

    @Test
    void bytesBeyondAsciiPassUnchanged() throws Exception {
        try (var server = TestServer.immediate(head -> Response.empty(200)
                        .with("x-back", head.headers().first("x-there").orElseThrow())
                        .with("x-path", head.path())
                        .with("x-far", "\u20ac"));
                var client = server.connect()) {
            var answer = client.send("GET /caf\u00c3\u00a9 HTTP/1.1\r\nHost: h\r\nX-There: \u00fc\r\n\r\n")
                    .read();
            assertThat(answer.field("x-back")).contains("\u00fc");
            assertThat(answer.field("x-path")).contains("/caf\u00c3\u00a9");
            assertThat(answer.field("x-far")).contains("\u00e2\u0082\u00ac");
        }
    }

    @Test
    void everyAnswerIsCountedAndLogged() throws Exception {
        try (var server = TestServer.immediate(_ -> Response.text(404, "text/plain", "none"));
                var client = server.connect()) {
            client.send(GET.formatted("a?b=c")).read();
            eventually("an access entry", () -> !server.accesses.isEmpty());
            var entry = server.accesses.getFirst();
            assertThat(entry.path()).isEqualTo("/a");
            assertThat(entry.query()).isEqualTo("b=c");
            assertThat(entry.status()).isEqualTo(404);
            assertThat(entry.complete()).isTrue();
            assertThat(server.meters
                            .get("sluice.http.requests")
                            .tag("status", "4xx")
                            .counter()
                            .count())
                    .isEqualTo(1);
            assertThat(server.meter("sluice.http.connections")).isEqualTo(1);
            assertThat(server.meter("sluice.http.requests.in.flight")).isZero();
        }
    }
}
