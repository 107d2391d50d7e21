package dev.sluice.common.http.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.http.Headers;
import dev.sluice.common.http.RequestHead;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class EngineMetricsTest {
    private static final Operations READS_AND_WRITES = new Operations() {
        @Override
        public List<String> names() {
            return List.of("read", "write");
        }

        @Override
        public String of(RequestHead head) {
            return head.method().equals("GET") ? "read" : "write";
        }
    };

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    private static RequestHead head(String method) {
        var remote = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        return new RequestHead(method, "/", "", Headers.EMPTY, 0, remote, false, "request1");
    }

    @Test
    void latencyIsAHistogramOfEachOperation() {
        var metrics = new EngineMetrics(registry, "target001", READS_AND_WRITES);
        metrics.requestEnded(head("GET"), 200, Duration.ofMillis(3).toNanos(), 0, 10);
        metrics.requestEnded(head("GET"), 200, Duration.ofMillis(40).toNanos(), 0, 10);
        metrics.requestEnded(head("PUT"), 200, Duration.ofMinutes(1).toNanos(), 10, 0);
        var series = "sluice_http_request_duration_seconds_bucket{node=\"target001\",operation=\"%s\",le=\"%s\"} %d\n";
        assertThat(registry.scrape())
                .contains(series.formatted("read", "0.0025", 0))
                .contains(series.formatted("read", "0.005", 1))
                .contains(series.formatted("read", "0.05", 2))
                .contains(series.formatted("write", "30.0", 0))
                .contains(series.formatted("write", "+Inf", 1));
    }
}
