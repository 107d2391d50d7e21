package dev.sluice.common.http.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.http.Forward;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody.FileRange;
import io.netty.handler.ssl.OpenSsl;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The same engine behind TLS, with a key made for the test.
class TlsTest {
    @TempDir
    static Path folder;

    private static TestKeys keys;

    @BeforeAll
    static void makeKeys() throws Exception {
        keys = TestKeys.make(folder);
    }

    private static EngineConfig secure() {
        return new TestConfig().tls(keys.files()).build();
    }

    private static HttpClient client() throws Exception {
        return HttpClient.newBuilder()
                .sslContext(keys.trusting())
                .version(HttpClient.Version.HTTP_1_1)
                .build();
    }

    private static URI address(TestServer server, String path) {
        return URI.create("https://127.0.0.1:" + server.server.address().getPort() + path);
    }

    @Test
    void boringSslIsThere() {
        assertThat(OpenSsl.isAvailable())
                .as("%s", OpenSsl.unavailabilityCause())
                .isTrue();
    }

    @Test
    void filesBodiesAndRelayWorkBehindTls() throws Exception {
        var path = folder.resolve("file");
        var bytes = TestFile.write(path, 3_500_000);
        try (var back = TestServer.blocking(secure(), request -> {
                    if (request.head().method().equals("PUT")) {
                        long count = 0;
                        for (var part = request.body().next();
                                part.hasRemaining();
                                part = request.body().next()) {
                            count += part.remaining();
                        }
                        return Response.text(
                                200, "text/plain", count + " " + request.head().secure());
                    }
                    int length = Integer.parseInt(request.head().query());
                    return Response.of(
                            200,
                            Headers.EMPTY,
                            new FileRange(length % 2 == 0 ? TestFile.ready(path) : TestFile.cold(path), 1, length));
                });
                var front = TestServer.immediate(secure(), _ -> new Forward(address(back, ""), Headers.EMPTY));
                var client = client()) {
            for (var server : List.of(back, front)) {
                for (int length : new int[] {10, 65_536, 65_537, 3_000_000, 3_000_001}) {
                    var answer = client.send(
                            HttpRequest.newBuilder(address(server, "/?" + length))
                                    .build(),
                            HttpResponse.BodyHandlers.ofByteArray());
                    assertThat(answer.body()).isEqualTo(Arrays.copyOfRange(bytes, 1, 1 + length));
                }
                var put = client.send(
                        HttpRequest.newBuilder(address(server, "/x"))
                                .PUT(HttpRequest.BodyPublishers.ofByteArray(bytes))
                                .expectContinue(true)
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
                assertThat(put.body()).isEqualTo("3500000 true");
            }
        }
    }

    @Test
    void plainHttpToATlsPortDisturbsNobody() throws Exception {
        try (var server = TestServer.immediate(secure(), _ -> Response.empty(204));
                var plain = server.connect();
                var client = client()) {
            plain.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
            plain.readToEnd();
            var answer = client.send(
                    HttpRequest.newBuilder(address(server, "/")).build(), HttpResponse.BodyHandlers.discarding());
            assertThat(answer.statusCode()).isEqualTo(204);
        }
    }
}
