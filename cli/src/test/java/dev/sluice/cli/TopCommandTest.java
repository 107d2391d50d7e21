package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// What `sluice top` makes of two looks at the metrics.
final class TopCommandTest {
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicReference<String> url = new AtomicReference<>("");
    private final AskedNode node;

    TopCommandTest() throws IOException {
        node = new AskedNode(request -> switch (request.uri().getPath()) {
            case "/v1/daemon" -> """
                    {"pmap":{"proxy001":{"public_net":{"direct_url":"%s"}}},
                     "tmap":{"target001":{"public_net":{"direct_url":"%s"}}}}""".formatted(url.get(), url.get());
            case "/metrics" -> {
                int turn = asked.getAndIncrement() / 2; // both nodes are one process
                yield metrics(turn);
            }
            default -> "{}";
        });
        url.set(node.url());
    }

    private static String metrics(int turn) {
        return """
            # TYPE sluice_http_requests_total counter
            sluice_http_requests_total{node="target001",status="2xx"} %d
            sluice_http_requests_total{node="target001",status="5xx"} 3
            sluice_http_bytes_out_total{node="target001"} 1.0E7
            sluice_http_requests_in_flight{node="target001"} 7
            sluice_http_connections{node="target001"} 9
            sluice_drive_state{drive="/mnt/a \\"b\\"",node="target001",state="online"} 1
            sluice_drive_state{drive="/mnt/a \\"b\\"",node="target001",state="offline"} 0
            sluice_drive_bytes{drive="/mnt/a \\"b\\"",node="target001"} 3145728
            sluice_drive_free_bytes{drive="/mnt/a \\"b\\"",node="target001"} 1048576
            sluice_bucket_objects{bucket="sets",node="target001"} 12
            sluice_bucket_gets_total{bucket="sets",node="target001",result="hit"} %d
            sluice_bucket_gets_total{bucket="sets",node="target001",result="miss"} %d
            sluice_slots{node="target001",state="full"} 16380
            sluice_slots{node="target001",state="degraded"} 4
            sluice_slots{node="target001",state="unopened"} NaN
            sluice_slots_surviving{node="target001",losses="0"} 3
            sluice_bucket_missing_bytes{node="target001",bucket="sets"} 2097152
            """.formatted(1000 + 500_000 * turn, 30 * turn, 10 * turn);
    }

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void ratesAreOfTheTimeBetweenTwoLooks() {
        var said = node.sluice("top", "--every", "1", "--count", "1");
        assertThat(said.exitCode()).isZero();
        assertThat(said.out()).containsPattern("target001 +[1-9]\\d*,\\d{3} +0 +0\\.0 +0\\.0 +7 +9\\R");
        assertThat(said.out()).containsPattern("target001 /mnt/a \"b\" +online +0 +3\\.0 +75 % ");
        assertThat(said.out()).doesNotContain("offline");
        assertThat(said.out()).containsPattern("sets +12 +0\\.0 +\\d+ +75 % ");
        assertThat(said.out())
                .contains(
                        "slots of replicated buckets: 0 not served, 4 degraded, 3 survive no other loss",
                        "MiB to be copied: 2.0, 0.0 a second");
    }

    @Test
    void wrongOptionsAndSilentClustersAreFailures() {
        assertThat(node.sluice("top", "--every", "0").exitCode()).isEqualTo(2);
        url.set("http://127.0.0.1:1");
        var said = node.sluice("top", "--count", "1");
        assertThat(said.exitCode()).isEqualTo(1);
        assertThat(said.err()).contains("no node answers: http://127.0.0.1:1");
    }
}
