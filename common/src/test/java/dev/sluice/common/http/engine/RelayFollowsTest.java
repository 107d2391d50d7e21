package dev.sluice.common.http.engine;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.http.Forward;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody;
import dev.sluice.common.http.Route;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Relayed requests whose key moves to another node meanwhile: what is surely not carried out goes there, and nothing
/// else does.
@Timeout(60)
class RelayFollowsTest {
    private static final String GET = "GET /k HTTP/1.1\r\nHost: h\r\n\r\n";
    private static final String DELETE = "DELETE /k HTTP/1.1\r\nHost: h\r\n\r\n";
    private static final String PUT = "PUT /k HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello";
    private static final String DELETE_WITH_BODY = "DELETE /k HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello";
    private static final String REFUSAL =
            "HTTP/1.1 503 Service Unavailable\r\nx-sluice-not-primary: 1\r\nContent-Length: 0\r\n\r\n";
    private static final String EMPTY_PUT = "PUT /k HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n";

    private final AtomicInteger carriedOut = new AtomicInteger();
    private final Map map = new Map();
    private ServerSocket first;
    private TestServer second;
    private TestServer front;
    private RawClient client;

    /// Says which node has the key.
    private static final class Map implements Route {
        private volatile Stage stage = new Stage("none", URI.create("http://none"), 0, Headers.EMPTY);
        private volatile boolean down;

        void names(String name, URI node) {
            stage = new Stage(name, node, stage.version() + 1, Headers.of("x-hop", name));
        }

        @Override
        public Stage now() {
            return stage;
        }

        @Override
        public boolean mayMove() {
            return true;
        }

        @Override
        public boolean needsBody() {
            return true;
        }

        @Override
        public boolean isDown(Stage of) {
            return down && of.name().equals("first");
        }

        /// For a request by this method.
        Route of(String method) {
            return new Route() {
                @Override
                public Stage now() {
                    return stage;
                }

                @Override
                public boolean mayMove() {
                    return true;
                }

                @Override
                public boolean needsBody() {
                    return method.equals("PUT");
                }

                @Override
                public boolean isDown(Stage of) {
                    return Map.this.isDown(of);
                }
            };
        }
    }

    @BeforeEach
    void start() throws IOException {
        first = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        first.setSoTimeout(20_000);
        map.names("first", URI.create("http://127.0.0.1:" + first.getLocalPort()));
        second = TestServer.blocking(request -> {
            var body = new ByteArrayOutputStream();
            for (var bytes = request.body().next();
                    bytes.hasRemaining();
                    bytes = request.body().next()) {
                var part = new byte[bytes.remaining()];
                bytes.get(part);
                body.write(part, 0, part.length);
            }
            carriedOut.incrementAndGet();
            var text = request.head().method() + " "
                    + request.head().headers().first("x-hop").orElse("") + " " + body.toString(StandardCharsets.UTF_8);
            return Response.of(200, Headers.EMPTY, ResponseBody.text(text));
        });
        var config = new TestConfig()
                .forwardTimeouts(Duration.ofSeconds(1), Duration.ofSeconds(30))
                .build();
        front = TestServer.immediate(config, head -> new Forward(map.of(head.method())));
        client = front.connect();
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        front.close();
        second.close();
        first.close();
    }

    private void keyMoves() {
        map.names("second", second.uri());
    }

    /// What the first node gets, up to here.
    private static void receive(Socket node, String end) throws IOException {
        var seen = new StringBuilder();
        while (seen.indexOf(end) < 0) {
            int next = node.getInputStream().read();
            assertThat(next).as("after " + seen).isNotNegative();
            seen.append((char) next);
        }
    }

    private static void send(Socket node, String text) throws IOException {
        node.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void aReadThatIsNotAnsweredGoesWhereTheKeyIsNow() throws Exception {
        client.send(GET);
        try (var node = first.accept()) {
            receive(node, "\r\n\r\n");
            keyMoves();
            assertThat(client.read().text()).isEqualTo("GET second ");
        }
        assertThat(carriedOut).hasValue(1);
    }

    @Test
    void aReadWaitsWhenItsNodeIsDown() throws Exception {
        client.send(GET);
        try (var node = first.accept()) {
            receive(node, "\r\n\r\n");
            map.down = true;
            assertThatThrownBy(node.getInputStream()::read)
                    .as("its node is left")
                    .hasMessageContaining("reset");
            eventually("it waits", () -> front.meter("sluice.relay.parked") == 1);
            keyMoves();
            assertThat(client.read().text()).isEqualTo("GET second ");
        }
        assertThat(front.meter("sluice.relay.parked")).isZero();
    }

    @Test
    void aWriteWhoseBodyWasNotAskedForGoesToo() throws Exception {
        client.send(PUT);
        try (var node = first.accept()) {
            receive(node, "Expect: 100-continue\r\n\r\n");
            keyMoves();
            assertThat(client.read().text()).isEqualTo("PUT second hello");
            assertThat(node.getInputStream().read()).as("nothing of the body").isNegative();
        }
        assertThat(carriedOut).hasValue(1);
    }

    @Test
    void aWriteWhoseNodeBreaksOffBeforeItAskedGoesToo() throws Exception {
        client.send(PUT);
        try (var node = first.accept()) {
            receive(node, "\r\n\r\n");
        }
        eventually("it waits", () -> front.meter("sluice.relay.parked") == 1);
        keyMoves();
        assertThat(client.read().text()).isEqualTo("PUT second hello");
    }

    @Test
    void aWriteWhoseBodyWasAskedForIsNeverSentAgain() throws Exception {
        client.send(PUT);
        try (var node = first.accept()) {
            receive(node, "\r\n\r\n");
            send(node, "HTTP/1.1 100 Continue\r\n\r\n");
            receive(node, "hello");
            keyMoves();
            map.down = true;
            var answer = client.read();
            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.text()).contains("not known");
        }
        assertThat(carriedOut).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(strings = {DELETE, DELETE_WITH_BODY, EMPTY_PUT})
    void aWriteWithoutABodyIsNeverSentAgain(String request) throws Exception {
        client.send(request);
        try (var node = first.accept()) {
            receive(node, "\r\n\r\n");
            keyMoves();
            map.down = true;
            var answer = client.read();
            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.text()).contains("not known");
        }
        keyStays();
        client.send(request);
        try (var node = first.accept()) {
            receive(node, "\r\n\r\n");
        }
        assertThat(client.read().text()).contains("not known");
        assertThat(carriedOut).hasValue(0);
    }

    private void keyStays() {
        map.down = false;
        map.names("first", URI.create("http://127.0.0.1:" + first.getLocalPort()));
    }

    @Test
    void aWriteMayTakeItsTimeAtANodeThatIsUp() throws Exception {
        client.send(DELETE);
        try (var node = first.accept();
                var other = front.connect()) {
            receive(node, "\r\n\r\n");
            other.send(GET);
            try (var reading = first.accept()) {
                receive(reading, "\r\n\r\n");
                keyMoves();
                assertThat(other.read().text()).as("relays are looked at").isEqualTo("GET second ");
            }
            // two more rounds over all of them
            for (int i = 0; i < 2; i++) {
                keyStays();
                other.send(GET);
                try (var reading = first.accept()) {
                    receive(reading, "\r\n\r\n");
                    keyMoves();
                    assertThat(other.read().status()).isEqualTo(200);
                }
            }
            send(node, "HTTP/1.1 204 No Content\r\n\r\n");
            assertThat(client.read().status()).isEqualTo(204);
        }
    }

    @Test
    void whatComesAfterTheBodyWasAskedForIsTheNodesAnswer() throws Exception {
        client.send(PUT);
        try (var node = first.accept()) {
            receive(node, "\r\n\r\n");
            send(node, "HTTP/1.1 100 Continue\r\n\r\n");
            receive(node, "hello");
            keyMoves();
            send(node, REFUSAL);
            assertThat(client.read().status()).isEqualTo(503);
        }
        assertThat(carriedOut).hasValue(0);
    }

    /// States change all the time: a node that goes on refusing is not asked for ever.
    @Test
    void newerMapsDoNotMakeTheWaitLonger() throws Exception {
        var refusing = Thread.ofVirtual().start(() -> {
            try {
                while (true) {
                    try (var node = first.accept()) {
                        receive(node, "\r\n\r\n");
                        keyStays();
                        send(node, REFUSAL);
                        keyStays();
                    }
                }
            } catch (IOException closed) {
                assertThat(first.isClosed()).isTrue();
            }
        });
        long begun = System.nanoTime();
        assertThat(client.send(DELETE).read().status()).isEqualTo(503);
        assertThat(Duration.ofNanos(System.nanoTime() - begun))
                .isBetween(Duration.ofSeconds(4), Duration.ofSeconds(30));
        first.close();
        refusing.join();
    }

    /// Time at a node that had the request is not waiting.
    @Test
    void aReadWaitsAgainWhenItsNextNodeIsLostMuchLater() throws Exception {
        client.send(GET);
        first.accept().close();
        eventually("it waits", () -> front.meter("sluice.relay.parked") == 1);
        try (var next = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            map.names("next", URI.create("http://127.0.0.1:" + next.getLocalPort()));
            try (var node = next.accept()) {
                receive(node, "\r\n\r\n");
                long taken = System.nanoTime();
                eventually("longer than any waits", () -> System.nanoTime() - taken > 4_200_000_000L);
            }
            eventually("it waits again", () -> front.meter("sluice.relay.parked") == 1);
            keyMoves();
            assertThat(client.read().status()).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {GET, DELETE, PUT, EMPTY_PUT})
    void whoeverIsNotThePrimaryIsLeft(String request) throws Exception {
        client.send(request);
        try (var node = first.accept()) {
            receive(node, "\r\n\r\n");
            send(node, "HTTP/1.1 503 Service Unavailable\r\nx-sluice-not-primary: 1\r\nContent-Length: 3\r\n\r\nno\n");
            eventually("it waits", () -> front.meter("sluice.relay.parked") == 1);
            keyMoves();
            assertThat(client.read().status()).isEqualTo(200);
        }
        assertThat(carriedOut).hasValue(1);
        assertThat(front.meters.get("sluice.relay.followed").counter().count()).isEqualTo(1);
    }

    @Test
    void aNewerMapMayNameTheSameNodeAgain() throws Exception {
        client.send(DELETE);
        try (var node = first.accept()) {
            receive(node, "\r\n\r\n");
            send(node, REFUSAL);
            eventually("it waits", () -> front.meter("sluice.relay.parked") == 1);
        }
        keyStays();
        try (var node = first.accept()) {
            receive(node, "\r\n\r\n");
            send(node, "HTTP/1.1 204 No Content\r\n\r\n");
            assertThat(client.read().status()).isEqualTo(204);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {GET, DELETE, PUT})
    void aNodeThatRefusesConnectionsIsLeft(String request) throws Exception {
        first.close();
        client.send(request);
        eventually("it waits", () -> front.meter("sluice.relay.parked") == 1);
        keyMoves();
        assertThat(client.read().status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {DELETE, PUT})
    void aHandlerIsToldThatNobodyWaits(String request) throws Exception {
        var told = new CountDownLatch(1);
        var begun = new CountDownLatch(1);
        try (var node = TestServer.blocking(asked -> {
                    begun.countDown();
                    eventually("abandoned", asked.body()::abandoned);
                    told.countDown();
                    return Response.empty(204);
                });
                var leaving = node.connect()) {
            leaving.send(request);
            assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
            assertThat(told.getCount()).isEqualTo(1);
            leaving.socket().close();
            assertThat(told.await(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    /// It may stand still for long with its connection open. The client may ask again.
    @Test
    void anAnswerIsBrokenOffSoonWhenItsNodeIsDown() throws Exception {
        client.send(GET);
        try (var node = first.accept()) {
            receive(node, "\r\n\r\n");
            send(node, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhello");
            receive(client.socket(), "hello");
            long begun = System.nanoTime();
            keyMoves();
            map.down = true;
            assertThatThrownBy(() -> client.socket().getInputStream().read()).hasMessageContaining("reset");
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(6));
        }
    }

    @Test
    void nobodyWaitsForEver() throws Exception {
        first.close();
        long begun = System.nanoTime();
        client.send(PUT);
        var answer = client.read();
        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.text()).doesNotContain("not known");
        assertThat(Duration.ofNanos(System.nanoTime() - begun))
                .isBetween(Duration.ofSeconds(4), Duration.ofSeconds(30));
        assertThat(front.meter("sluice.relay.parked")).isZero();
    }

    @Test
    void aClientThatLeavesWaitsNoLonger() throws Exception {
        first.close();
        client.send(PUT);
        eventually("it waits", () -> front.meter("sluice.relay.parked") == 1);
        client.close();
        eventually("it is gone", () -> front.meter("sluice.relay.parked") == 0);
    }

    @Test
    void aNodeThatPausesInTheMiddleCutsTheAnswerShort() throws Exception {
        var config = new TestConfig()
                .forwardTimeouts(Duration.ofSeconds(1), Duration.ofMillis(300))
                .build();
        try (var impatient = TestServer.immediate(config, _ -> new Forward(map));
                var reader = impatient.connect()) {
            reader.send(GET);
            try (var node = first.accept()) {
                receive(node, "\r\n\r\n");
                send(node, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhello");
                assertThat(reader.readHead()).startsWith("HTTP/1.1 200");
                assertThat(new String(reader.readToEnd(), StandardCharsets.US_ASCII))
                        .isEqualTo("hello");
            }
            assertThat(impatient.meters.get("sluice.relay.broken.off").counter().count())
                    .isEqualTo(1);
        }
    }
}
