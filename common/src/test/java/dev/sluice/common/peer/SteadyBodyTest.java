package dev.sluice.common.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.http.Headers;
import dev.sluice.common.name.NodeId;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SteadyBodyTest {
    private static final Duration PATIENCE = Duration.ofMillis(300);

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final CompletableFuture<Void> goesOn = new CompletableFuture<>();

    @AfterEach
    void close() {
        goesOn.complete(null);
        timer.shutdownNow();
    }

    /// It sends half of an answer, and the rest when the test says so.
    private ServerSocket frozen() throws IOException {
        var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(() -> {
            try (var client = server.accept()) {
                var out = client.getOutputStream();
                out.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello".getBytes(StandardCharsets.US_ASCII));
                out.flush();
                goesOn.join();
                out.write("world".getBytes(StandardCharsets.US_ASCII));
            } catch (IOException _) {
                // the test has closed it
            }
        });
        return server;
    }

    @Test
    void readOfAnAnswerEndsWhenItsSenderIsFrozen() throws IOException {
        try (var server = frozen();
                var peers =
                        new PeerClient(new PeerTokens(new NodeId("target001"), new byte[32], InstantSource.system()))) {
            var to = new PeerAddress(new NodeId("target002"), "http://127.0.0.1:" + server.getLocalPort());
            var answer = peers.open(to, "/v1/peer/replica-content", Headers.EMPTY);
            try (var body = new SteadyBody(answer.body(), PATIENCE)) {
                assertThat(body.readNBytes(5)).asString().isEqualTo("hello");
                assertThatThrownBy(body::read).isInstanceOf(IOException.class).hasMessageContaining("no byte came");
            }
        }
    }

    @Test
    void readerMayTakeItsTime() throws Exception {
        try (var body = new SteadyBody(new ByteArrayInputStream(new byte[] {1, 2}), PATIENCE)) {
            assertThat(body.read()).isEqualTo(1);
            var later = new CompletableFuture<Void>();
            var _ = timer.schedule(() -> later.complete(null), 2 * PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            later.get();
            assertThat(body.read()).isEqualTo(2);
            assertThat(body.read()).isEqualTo(-1);
        }
    }
}
