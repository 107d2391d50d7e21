package dev.sluice.common.http.engine;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.http.Response;
import java.net.ConnectException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Stopping without losing an answer.
@Timeout(30)
class DrainTest {
    private static final String GET = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";

    @Test
    void requestsInFlightEndIdleConnectionsCloseAndNoneIsAccepted() throws Exception {
        var begun = new CompletableFuture<Void>();
        var proceed = new CompletableFuture<Void>();
        try (var server = TestServer.blocking(request -> {
                    if (request.head().path().equals("/slow")) {
                        begun.complete(null);
                        proceed.get();
                    }
                    return Response.text(200, "text/plain", "done");
                });
                var idle = server.connect();
                var busy = server.connect()) {
            idle.send(GET).read();
            busy.send("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n");
            begun.get();
            var drained = CompletableFuture.supplyAsync(() -> server.server.drain(Duration.ofSeconds(20)));
            assertThat(idle.isClosedByServer()).isTrue();
            assertThatThrownBy(() -> server.connect().close()).isInstanceOf(ConnectException.class);
            assertThat(drained).isNotDone();
            proceed.complete(null);
            var answer = busy.read();
            assertThat(answer.text()).isEqualTo("done");
            assertThat(answer.field("Connection")).contains("close");
            assertThat(drained.get()).isTrue();
        }
    }

    @Test
    void whatDoesNotEndInTimeIsLeftBehind() throws Exception {
        var never = new CompletableFuture<Void>();
        try (var server = TestServer.blocking(_ -> {
                    never.get();
                    return Response.empty(200);
                });
                var busy = server.connect()) {
            busy.send(GET);
            eventually("begun", () -> server.meter("sluice.http.requests.in.flight") == 1);
            assertThat(server.server.drain(Duration.ofMillis(50))).isFalse();
            server.server.close();
            assertThat(busy.isClosedByServer()).isTrue();
            never.complete(null);
        }
    }
}
