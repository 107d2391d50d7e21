package dev.sluice.common.peer;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.concurrent.Deadline;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class PeerClientTest {
    private static final NodeId NODE = new NodeId("target001");
    private static final Duration LIMIT = Duration.ofMillis(300);

    /// It sends a part of its answer and then nothing.
    @Test
    void callEndsWhenItsPeerFreezesInTheMiddleOfTheAnswer() throws IOException {
        try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var client = new PeerClient(new PeerTokens(NODE, new byte[32], InstantSource.system()))) {
            var _ = Thread.ofVirtual().start(() -> answerHalf(server));
            var address = new PeerAddress(NODE, "http://127.0.0.1:" + server.getLocalPort());
            assertThatThrownBy(() -> client.get(address, "/v1/peer/state", "", LIMIT))
                    .isInstanceOf(StoreException.Unavailable.class)
                    .hasMessageContaining("no whole answer in 300 ms");
        }
    }

    @Test
    void callTakesNoLongerThanItsRequestMay() throws IOException {
        try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var client = new PeerClient(new PeerTokens(NODE, new byte[32], InstantSource.system()))) {
            var _ = Thread.ofVirtual().start(() -> answerHalf(server));
            var address = new PeerAddress(NODE, "http://127.0.0.1:" + server.getLocalPort());
            var request = Deadline.in(LIMIT);
            for (var why : List.of("no whole answer", "no time is left")) {
                assertThatThrownBy(() -> request.<byte[]>call(
                                () -> client.get(address, "/v1/peer/state", "", Duration.ofMinutes(1))))
                        .isInstanceOf(StoreException.Unavailable.class)
                        .hasMessageContaining(why);
            }
        }
    }

    /// The peer has to know that nobody waits for what it does.
    @Test
    void callOfSomebodyWhoGoesEndsAndItsConnectionToo() throws Exception {
        try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var client = new PeerClient(new PeerTokens(NODE, new byte[32], InstantSource.system()))) {
            var closed = new CompletableFuture<Void>();
            var _ = Thread.ofVirtual().start(() -> {
                answerHalf(server);
                closed.complete(null);
            });
            var address = new PeerAddress(NODE, "http://127.0.0.1:" + server.getLocalPort());
            assertThatThrownBy(() ->
                            client.post(address, "/v1/peer/delete", "", new byte[0], Duration.ofMinutes(1), () -> true))
                    .isInstanceOf(StoreException.Unavailable.class)
                    .hasMessageContaining("nobody waits");
            closed.get(20, TimeUnit.SECONDS);
        }
    }

    private static void answerHalf(ServerSocket server) {
        try (var socket = server.accept()) {
            var head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf";
            socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
            socket.getInputStream().readAllBytes(); // until the client gives up
        } catch (IOException closed) {
            throw new IllegalStateException(closed);
        }
    }
}
