package dev.sluice.common.http.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.http.ByteSource;
import dev.sluice.common.http.Response;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Requests that are wrong get a clean refusal, then the connection is closed.
class MalformedRequestTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            no such thing                        | 400 | rubbish\\r\\n\\r\\n
            no host                              | 400 | GET / HTTP/1.1\\r\\n\\r\\n
            two hosts                            | 400 | GET / HTTP/1.1\\r\\nHost: a\\r\\nHost: b\\r\\n\\r\\n
            a relative path                      | 400 | GET x HTTP/1.1\\r\\nHost: h\\r\\n\\r\\n
            another version                      | 505 | GET / HTTP/2.0\\r\\nHost: h\\r\\n\\r\\n
            a length that is no number           | 400 | PUT / HTTP/1.1\\r\\nHost: h\\r\\nContent-Length: x\\r\\n\\r\\n
            a negative length                    | 400 | PUT / HTTP/1.1\\r\\nHost: h\\r\\nContent-Length: -1\\r\\n\\r\\n
            a signed length                      | 400 | PUT / HTTP/1.1\\r\\nHost: h\\r\\nContent-Length: +5\\r\\n\\r\\nhello
            a length beyond all numbers          | 400 | PUT / HTTP/1.1\\r\\nHost: h\\r\\nContent-Length: 99999999999999999999\\r\\n\\r\\n
            two lengths                          | 400 | PUT / HTTP/1.1\\r\\nHost: h\\r\\nContent-Length: 5\\r\\nContent-Length: 6\\r\\n\\r\\nhello
            two equal lengths                    | 400 | PUT / HTTP/1.1\\r\\nHost: h\\r\\nContent-Length: 5\\r\\nContent-Length: 5\\r\\n\\r\\nhello
            a list of lengths                    | 400 | PUT / HTTP/1.1\\r\\nHost: h\\r\\nContent-Length: 5, 5\\r\\n\\r\\nhello
            length and chunked                   | 400 | PUT / HTTP/1.1\\r\\nHost: h\\r\\nContent-Length: 5\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\n
            chunked and length                   | 400 | PUT / HTTP/1.1\\r\\nHost: h\\r\\nTransfer-Encoding: chunked\\r\\nContent-Length: 5\\r\\n\\r\\n0\\r\\n\\r\\n
            another coding                       | 400 | PUT / HTTP/1.1\\r\\nHost: h\\r\\nTransfer-Encoding: gzip\\r\\n\\r\\n
            chunked not last                     | 400 | PUT / HTTP/1.1\\r\\nHost: h\\r\\nTransfer-Encoding: chunked, gzip\\r\\n\\r\\n0\\r\\n\\r\\n
            chunked twice                        | 400 | PUT / HTTP/1.1\\r\\nHost: h\\r\\nTransfer-Encoding: chunked\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\n
            chunked hidden by a vertical tab              | 400 | PUT / HTTP/1.1\\r\\nHost: h\\r\\nTransfer-Encoding: \\013chunked\\r\\n\\r\\n0\\r\\n\\r\\n
            a space before the colon             | 400 | PUT / HTTP/1.1\\r\\nHost: h\\r\\nContent-Length : 5\\r\\n\\r\\nhello
            chunked in HTTP/1.0                  | 400 | PUT / HTTP/1.0\\r\\nHost: h\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\n
            a chunk size that is no number       | 400 | PUT / HTTP/1.1\\r\\nHost: h\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\nzz\\r\\nhello
            a negative chunk size                | 400 | PUT / HTTP/1.1\\r\\nHost: h\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n-5\\r\\nhello
            a header without a name              | 400 | GET / HTTP/1.1\\r\\nHost: h\\r\\n: x\\r\\n\\r\\n
            a header without a colon             | 400 | GET / HTTP/1.1\\r\\nHost: h\\r\\nbad header\\r\\n\\r\\n
            a NUL in a header                    | 400 | GET / HTTP/1.1\\r\\nHost: h\\r\\nX: a\\000b\\r\\n\\r\\n
            a NUL in the path                    | 400 | GET /a\\000b HTTP/1.1\\r\\nHost: h\\r\\n\\r\\n
            a TLS hello                          | 400 | \\026\\003\\001\\002\\000\\001\\r\\n\\r\\n
            """)
    void isRefusedAndTheConnectionClosed(String what, int status, String request) throws Exception {
        try (var server = TestServer.blocking(this::readAll);
                var client = server.connect()) {
            client.send(request.translateEscapes());
            var answer = client.read();
            assertThat(answer.status()).as(what).isEqualTo(status);
            assertThat(answer.field("x-amz-request-id")).isPresent();
            assertThat(answer.text()).doesNotContain("Exception");
            client.socket().shutdownOutput();
            assertThat(client.isClosedByServer()).isTrue();
            try (var fresh = server.connect()) {
                assertThat(fresh.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                                .read()
                                .status())
                        .isEqualTo(200);
            }
        }
    }

    private Response readAll(dev.sluice.common.http.Request request) throws IOException {
        try (ByteSource body = request.body()) {
            int pieces = 0;
            while (body.next().hasRemaining()) {
                pieces++;
            }
            return Response.text(200, "text/plain", "" + pieces);
        }
    }

    @Test
    void tooLargeHeadersAre431AndATooLongUriIs414() throws Exception {
        try (var server = TestServer.immediate(_ -> Response.empty(200));
                var large = server.connect();
                var full = server.connect();
                var along = server.connect()) {
            large.send("GET / HTTP/1.1\r\nHost: h\r\nX: " + "x".repeat(17 << 10) + "\r\n\r\n");
            assertThat(large.read().status()).isEqualTo(431);
            full.send("GET / HTTP/1.1\r\nHost: h\r\nX: " + "x".repeat(15 << 10) + "\r\n\r\n");
            assertThat(full.read().status()).isEqualTo(200);
            along.send("GET /" + "x".repeat(9 << 10) + " HTTP/1.1\r\nHost: h\r\n\r\n");
            assertThat(along.read().status()).isEqualTo(414);
        }
    }
}
