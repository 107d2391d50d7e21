package dev.sluice.common.http.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.http.Forward;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.Route;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Relayed reads whose node is away: they go past it, and past no node that is only slow.
@Timeout(60)
class RelayPastAwayTest {
    private static final String GET = "GET /k HTTP/1.1\r\nHost: h\r\n\r\n";
    private static final String HEAD = "HEAD /k HTTP/1.1\r\nHost: h\r\n\r\n";
    private static final String DELETE = "DELETE /k HTTP/1.1\r\nHost: h\r\n\r\n";
    private static final String PUT = "PUT /k HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello";
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nslow";
    private static final String PONG = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n";

    private final AtomicInteger passed = new AtomicInteger();
    private final AtomicBoolean down = new AtomicBoolean();
    private ServerSocket first;
    private TestServer second;
    private TestServer front;
    private RawClient client;

    /// To some nodes, one after the other.
    private static final class Past implements Route {
        private final Iterator<Stage> nodes;
        private final AtomicBoolean down;
        private final Stage first;
        private volatile Stage stage;

        Past(List<URI> nodes, AtomicBoolean down) {
            this.nodes = nodes.stream()
                    .map(node -> new Stage(node.toString(), node, 1, Headers.of("x-hop", node.toString())))
                    .toList()
                    .iterator();
            this.down = down;
            this.first = this.nodes.next();
            this.stage = first;
        }

        @Override
        public Stage now() {
            return stage;
        }

        @Override
        public Optional<Ping> ping(Stage of) {
            return Optional.of(new Ping("/ping", Headers.of("x-token", "t")));
        }

        @Override
        public Optional<Stage> past(Stage away) {
            assertThat(away).isEqualTo(stage);
            if (!nodes.hasNext()) {
                return Optional.empty();
            }
            stage = nodes.next();
            return Optional.of(stage);
        }

        @Override
        public boolean mayMove() {
            return false;
        }

        @Override
        public boolean needsBody() {
            return false;
        }

        @Override
        public boolean isDown(Stage of) {
            return down.get() && of.equals(first);
        }
    }

    @BeforeEach
    void start() throws IOException {
        first = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        first.setSoTimeout(20_000);
        second = TestServer.immediate(head -> {
            passed.incrementAndGet();
            return Response.text(200, "text/plain", "past");
        });
        front(List.of(uri(first), second.uri()));
    }

    private void front(List<URI> nodes) throws IOException {
        var config = new TestConfig()
                .forwardTimeouts(Duration.ofSeconds(1), Duration.ofSeconds(30))
                .build();
        front = TestServer.immediate(config, _ -> new Forward(new Past(nodes, down)));
        client = front.connect();
    }

    private static URI uri(ServerSocket node) {
        return URI.create("http://127.0.0.1:" + node.getLocalPort());
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        front.close();
        second.close();
        first.close();
    }

    private static String receive(Socket node) throws IOException {
        var seen = new StringBuilder();
        while (seen.indexOf("\r\n\r\n") < 0) {
            int next = node.getInputStream().read();
            assertThat(next).as("after " + seen).isNotNegative();
            seen.append((char) next);
        }
        return seen.toString();
    }

    private static void send(Socket node, String text) throws IOException {
        node.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void readGoesPastANodeThatRefusesConnections() throws Exception {
        first.close();
        assertThat(client.send(GET).read().text()).isEqualTo("past");
        assertThat(client.send(HEAD).readWithoutBody().status()).isEqualTo(200);
        assertThat(passed).hasValue(2);
        assertThat(front.meters.get("sluice.relay.followed").counter().count()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {DELETE, PUT})
    void writeGoesPastNoNode(String request) throws Exception {
        first.close();
        assertThat(client.send(request).read().status()).isEqualTo(503);
        assertThat(passed).hasValue(0);
    }

    @Test
    void readGoesPastANodeThatSendsNothingAndAnswersNoPing() throws Exception {
        client.send(GET);
        try (var node = first.accept()) {
            assertThat(receive(node)).startsWith("GET /k ");
            assertThat(client.read().text()).isEqualTo("past");
            assertThatThrownBy(node.getInputStream()::read)
                    .as("its node is left")
                    .hasMessageContaining("reset");
        }
        try (var pinged = first.accept()) {
            assertThat(receive(pinged)).startsWith("GET /ping ").contains("x-token: t\r\n");
        }
    }

    /// It is asked again and again, and may say what it likes.
    @Test
    void slowNodeThatAnswersPingsKeepsTheRead() throws Exception {
        client.send(GET);
        try (var node = first.accept()) {
            receive(node);
            for (int i = 0; i < 3; i++) {
                try (var pinged = first.accept()) {
                    assertThat(receive(pinged)).startsWith("GET /ping ");
                    send(pinged, PONG);
                    assertThat(pinged.getInputStream().read())
                            .as("no second request")
                            .isNegative();
                }
            }
            send(node, OK);
            assertThat(client.read().text()).isEqualTo("slow");
        }
        assertThat(passed).hasValue(0);
    }

    @Test
    void writeStaysAtANodeThatAnswersNoPing() throws Exception {
        client.send(DELETE);
        try (var node = first.accept();
                var other = front.connect()) {
            receive(node);
            other.send(GET);
            try (var reading = first.accept()) {
                receive(reading);
                assertThat(other.read().text())
                        .as("so long has the node been silent")
                        .isEqualTo("past");
            }
            send(node, "HTTP/1.1 204 No Content\r\n\r\n");
            assertThat(client.read().status()).isEqualTo(204);
        }
    }

    @Test
    void readGoesPastANodeThatBreaksOffAndCannotBeConnectedAgain() throws Exception {
        client.send(GET);
        try (var node = first.accept()) {
            receive(node);
            first.close();
        }
        assertThat(client.read().text()).isEqualTo("past");
    }

    /// Away is one that cannot be connected to.
    @Test
    void nodeThatBreaksOffIsAskedOnceMore() throws Exception {
        client.send(GET);
        first.accept().close();
        try (var node = first.accept()) {
            receive(node);
            send(node, OK);
        }
        assertThat(client.read().text()).isEqualTo("slow");
        client.send(GET);
        for (int i = 0; i < 2; i++) {
            try (var node = first.accept()) {
                receive(node);
            }
        }
        assertThat(client.read().status()).isEqualTo(503);
        assertThat(passed).hasValue(0);
    }

    /// Though it answers pings.
    @Test
    void readGoesPastANodeThatTheStateSaysIsDown() throws Exception {
        client.send(GET);
        try (var node = first.accept()) {
            receive(node);
            var answering = Thread.ofVirtual().start(this::answerPings);
            down.set(true);
            assertThat(client.read().text()).isEqualTo("past");
            assertThatThrownBy(node.getInputStream()::read)
                    .as("its node is left")
                    .hasMessageContaining("reset");
            first.close();
            answering.join();
        }
    }

    private void answerPings() {
        try {
            while (true) {
                try (var pinged = first.accept()) {
                    receive(pinged);
                    send(pinged, PONG);
                }
            }
        } catch (IOException closed) {
            assertThat(first.isClosed()).isTrue();
        }
    }

    @Test
    void readGoesPastSeveralNodes() throws Exception {
        stop();
        first = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        var gone = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        gone.close();
        passed.set(0);
        second = TestServer.immediate(_ -> Response.text(200, "text/plain", "past both"));
        front(List.of(uri(gone), uri(first), second.uri()));
        assertThat(client.send(GET).read().text()).isEqualTo("past both");
    }

    @Test
    void readOfWhichEachNodeIsGoneIsUnavailable() throws Exception {
        first.close();
        second.close();
        assertThat(client.send(GET).read().status()).isEqualTo(503);
    }
}
