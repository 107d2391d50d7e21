package dev.sluice.common.http.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.http.Answer;
import dev.sluice.common.http.Blocking;
import dev.sluice.common.http.Forward;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.HttpHandler;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody;
import dev.sluice.common.http.ResponseBody.FileRange;
import dev.sluice.common.http.ResponseBody.Streamed;
import dev.sluice.testing.Bytes;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What a handler has every answer say besides: each answer says it once, whoever made it.
@Timeout(60)
class ExtraHeadersTest {
    private static final int SMALL = 100;
    private static final int LARGE = 300_000;

    @TempDir
    Path folder;

    private TestServer back;
    private TestServer front;
    private RawClient client;

    @BeforeEach
    void start() throws IOException {
        Files.write(folder.resolve("file"), Bytes.random(1, LARGE));
        back = TestServer.immediate(_ -> Response.text(404, "text/plain", "of the node"));
        front = TestServer.of(new HttpHandler() {
            @Override
            public Answer answer(RequestHead head) {
                return answerTo(head.path());
            }

            @Override
            public Headers extraHeaders(RequestHead head) {
                return head.headers().has("Origin") ? Headers.of("x-one", head.path(), "x-two", "2") : Headers.EMPTY;
            }
        });
        client = front.connect();
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        front.close();
        back.close();
    }

    private Answer answerTo(String path) {
        return switch (path) {
            case "/bytes" -> Response.text(200, "text/plain", "here");
            case "/many" -> Response.of(200, Headers.EMPTY, ResponseBody.text("x".repeat(LARGE)));
            case "/not-modified" -> Response.of(304, Headers.of("ETag", "e"), ResponseBody.NONE);
            case "/streamed" -> streamed();
            case "/later" -> new Blocking(_ -> streamed());
            case "/small-file" -> file(SMALL);
            case "/file" -> file(LARGE);
            case "/relayed" -> new Forward(back.uri(), Headers.EMPTY);
            case "/relayed-later" -> new Blocking(_ -> new Forward(back.uri(), Headers.EMPTY));
            case "/unreachable" -> new Forward(URI.create("http://127.0.0.1:1"), Headers.EMPTY);
            case "/broken" -> throw new IllegalStateException("as the test wants it");
            default ->
                new Blocking(_ -> {
                    throw new IllegalStateException("as the test wants it");
                });
        };
    }

    private static Response streamed() {
        return Response.of(200, Headers.EMPTY, new Streamed(-1, sink -> sink.write(ByteBuffer.wrap(new byte[10]))));
    }

    private Response file(int length) {
        try {
            var file = TestFile.ready(folder.resolve("file"));
            return Response.of(206, Headers.EMPTY, new FileRange(file, 0, length));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/bytes, 200",
        "/many, 200",
        "/not-modified, 304",
        "/streamed, 200",
        "/later, 200",
        "/small-file, 206",
        "/file, 206",
        "/relayed, 404",
        "/relayed-later, 404",
        "/unreachable, 503",
        "/broken, 500",
        "/broken-later, 500",
    })
    void everyAnswerHasThemOnce(String path, int status) throws IOException {
        var answer = client.send("GET " + path + " HTTP/1.1\r\nHost: h\r\nOrigin: o\r\n\r\n")
                .read();
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.head().lines().filter(line -> line.startsWith("x-")))
                .filteredOn(line -> !line.startsWith("x-amz-request-id"))
                .containsExactly("x-one: " + path, "x-two: 2");
        var plain = client.send("GET " + path + " HTTP/1.1\r\nHost: h\r\n\r\n").read();
        assertThat(plain.status()).isEqualTo(status);
        assertThat(plain.head()).doesNotContain("x-one", "x-two");
    }
}
