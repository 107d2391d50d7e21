package dev.sluice.common.http.engine;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.http.Response;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.concurrent.CountDownLatch;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

/// Requests that are sent before the one before them is answered.
class PipelinedRequestsTest {
    private static final int CONNECTIONS = 20;
    private static final int REQUESTS = 2_000;

    @Test
    void requestsThatWaitForTheOneBeforeThemAreNotDecoded() throws Exception {
        var answering = new CountDownLatch(1);
        var clients = new ArrayList<RawClient>();
        try (var server = TestServer.blocking(request -> {
            answering.await();
            return Response.text(200, "text/plain", request.head().path());
        })) {
            for (int i = 0; i < CONNECTIONS; i++) {
                clients.add(server.connect().send(requests()));
            }
            eventually("begun", () -> server.meter("sluice.http.requests.in.flight") == CONNECTIONS);
            assertThat(instancesOf("io.netty.handler.codec.http.DefaultHttpRequest"))
                    .isLessThanOrEqualTo(2 * CONNECTIONS);
            answering.countDown();
            for (var client : clients) {
                for (int i = 0; i < REQUESTS; i++) {
                    assertThat(client.read().text()).isEqualTo("/" + i);
                }
                client.close();
            }
        }
    }

    private static String requests() {
        var all = new StringBuilder();
        for (int i = 0; i < REQUESTS; i++) {
            all.append("GET /").append(i).append(" HTTP/1.1\r\nHost: h\r\n\r\n");
        }
        return all.toString();
    }

    /// That are reachable, as the JVM counts them.
    private static long instancesOf(String type) throws Exception {
        var histogram = (String) ManagementFactory.getPlatformMBeanServer()
                .invoke(
                        new ObjectName("com.sun.management:type=DiagnosticCommand"),
                        "gcClassHistogram",
                        new Object[] {new String[0]},
                        new String[] {String[].class.getName()});
        return histogram
                .lines()
                .map(line -> line.strip().split("\\s+"))
                .filter(fields -> fields.length > 3 && fields[3].equals(type))
                .mapToLong(fields -> Long.parseLong(fields[1]))
                .sum();
    }
}
