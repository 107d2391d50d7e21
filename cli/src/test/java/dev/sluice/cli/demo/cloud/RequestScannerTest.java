package dev.sluice.cli.demo.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RequestScannerTest {
    private static final String CONVERSATION = """
            GET /bucket/a.tar HTTP/1.1
            Host: x

            PUT /bucket/GET%20/b?partNumber=1 HTTP/1.1
            content-LENGTH: 43

            GET /not/a/request HTTP/1.1
            Host: body

            HEAD /bucket/a.tar HTTP/1.1

            PUT /bucket/c HTTP/1.1
            Transfer-Encoding: chunked

            1e;ext=1
            GET /no/request HTTP/1.1
            a: b
            0
            x-amz-checksum-crc32: GET /x

            GET /bucket?list-type=2&prefix=a/b HTTP/1.1

            GET / HTTP/1.1

            DELETE /bucket/c HTTP/1.1
            Content-Length: 0

            POST /bucket?delete HTTP/1.1
            Content-Length: 3

            abcGET /bucket/last HTTP/1.1

            """.replace("\n", "\r\n");

    @Test
    void requestsAreFoundWhereverTheBytesAreCut() throws IOException {
        byte[] bytes = CONVERSATION.getBytes(StandardCharsets.US_ASCII);
        for (int seed = 0; seed < 200; seed++) {
            assertThat(kinds(bytes, new Random(seed)))
                    .as("seed %d", seed)
                    .containsExactly(
                            RequestKind.GET,
                            RequestKind.PUT,
                            RequestKind.HEAD,
                            RequestKind.PUT,
                            RequestKind.LIST,
                            RequestKind.LIST,
                            RequestKind.DELETE,
                            RequestKind.OTHER,
                            RequestKind.GET);
        }
    }

    @Test
    void whatIsNotHttpIsAnError() {
        byte[] bytes = "hello\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        assertThatThrownBy(() -> new RequestScanner().scan(bytes, 0, bytes.length))
                .isInstanceOf(IOException.class);
    }

    @Test
    void anEndlessHeadIsAnError() {
        var bytes = new byte[80 << 10];
        assertThatThrownBy(() -> new RequestScanner().scan(bytes, 0, bytes.length))
                .isInstanceOf(IOException.class);
    }

    private static List<RequestKind> kinds(byte[] bytes, Random random) throws IOException {
        var scanner = new RequestScanner();
        var kinds = new ArrayList<RequestKind>();
        int from = 0;
        while (from < bytes.length) {
            int to = Math.min(bytes.length, from + random.nextInt(1, 60));
            while (from < to) {
                from += scanner.scan(bytes, from, to - from);
                scanner.completed().map(RequestKind::of).ifPresent(kinds::add);
            }
        }
        return kinds;
    }
}
