package dev.sluice.common.http.engine;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.http.Answer;
import dev.sluice.common.http.Blocking;
import dev.sluice.common.http.ByteSink;
import dev.sluice.common.http.Forward;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody.FileRange;
import dev.sluice.common.http.ResponseBody.Streamed;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Clients that have sent all that they will: some wait for their answers, some have gone.
@Timeout(60)
class HalfClosedTest {
    private static final String GET = "GET /%s HTTP/1.1\r\nHost: h\r\n\r\n";
    private static final String PUT = "PUT /%s HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n";

    private static final int LARGE = 8 << 20;
    private static final int PIECE = 256 << 10;

    @TempDir
    private static Path folder;

    private static byte[] content = {};

    /// One thread sees what happens at its sockets in order.
    private final EventLoops loops = EventLoops.start(1);

    private final CountDownLatch may = new CountDownLatch(1);
    private TestServer back;
    private TestServer front;

    @BeforeAll
    static void write() throws IOException {
        content = TestFile.write(folder.resolve("content"), LARGE);
    }

    @BeforeEach
    void start() throws IOException {
        back = TestServer.immediate(EngineConfig.DEFAULTS, this::answer, loops);
        front = TestServer.immediate(EngineConfig.DEFAULTS, _ -> new Forward(back.uri(), Headers.EMPTY), loops);
    }

    @AfterEach
    void stop() {
        may.countDown();
        front.close();
        back.close();
        loops.close();
    }

    private Answer answer(RequestHead head) {
        var path = Response.text(200, "text/plain", head.path());
        if (head.path().startsWith("/late")) {
            return new Blocking(_ -> {
                await();
                return path;
            });
        }
        return switch (head.path()) {
            case "/paused" -> Response.of(200, Headers.EMPTY, new Streamed(-1, this::pause));
            case "/made" -> Response.of(200, Headers.EMPTY, new Streamed(-1, HalfClosedTest::sendLarge));
            case "/file" -> Response.of(200, Headers.EMPTY, new FileRange(file(), 0, LARGE));
            default -> path;
        };
    }

    private static TestFile file() {
        try {
            return TestFile.ready(folder.resolve("content"));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private void pause(ByteSink sink) throws IOException {
        sink.write(ByteBuffer.allocate(1000));
        await();
    }

    private static void sendLarge(ByteSink sink) throws IOException {
        for (int at = 0; at < LARGE; at += PIECE) {
            sink.write(ByteBuffer.wrap(content, at, PIECE).slice());
        }
    }

    private void await() {
        try {
            may.await();
        } catch (InterruptedException stopped) {
            throw new IllegalStateException(stopped);
        }
    }

    private TestServer server(boolean relayed) {
        return relayed ? front : back;
    }

    private static void begun(TestServer server, int requests) {
        eventually("begun", () -> server.meter("sluice.http.requests.in.flight") == requests);
    }

    private static void whatWasSentIsSeen(TestServer server) throws IOException {
        try (var idle = server.connect()) {
            idle.send(GET.formatted("idle")).read();
            idle.socket().shutdownOutput();
            assertThat(idle.isClosedByServer()).as("without a request").isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void readsAreAnswered(boolean relayed) throws Exception {
        var server = server(relayed);
        try (var client = server.connect()) {
            client.send(GET.formatted("late1") + GET.formatted("late2") + GET.formatted("late3") + "GET /cut")
                    .socket()
                    .shutdownOutput();
            begun(server, 1);
            whatWasSentIsSeen(server);
            may.countDown();
            for (int i = 1; i <= 3; i++) {
                assertThat(client.read().text()).isEqualTo("/late" + i);
            }
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    /// All that was sent arrives at once, and is answered at once.
    @Test
    void readsThatAreAnsweredAtOnceAreAll() throws Exception {
        try (var client = back.connect()) {
            client.send(GET.formatted(1) + GET.formatted(2) + GET.formatted(3))
                    .socket()
                    .shutdownOutput();
            for (int i = 1; i <= 3; i++) {
                assertThat(client.read().text()).isEqualTo("/" + i);
            }
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    /// Far more than what the sockets' buffers hold.
    @ParameterizedTest
    @CsvSource({
        "/file, 1, false, false",
        "/file, 1, false, true",
        "/file, 1, true, false",
        "/file, 1, true, true",
        "/made, 1, false, false",
        "/made, 1, true, false",
        "/made, 1, true, true",
        "/made, 0, false, false",
        "/made, 0, false, true"
    })
    void largeReadsAreAnsweredWhole(String path, int version, boolean relayed, boolean midway) throws Exception {
        var server = server(relayed);
        try (var client = new RawClient(server.server.address(), 4 << 10)) {
            client.send("GET %s HTTP/1.%d\r\nHost: h\r\n\r\n".formatted(path, version));
            if (midway) {
                isFull(server);
            }
            client.socket().shutdownOutput();
            whatWasSentIsSeen(server);
            isFull(server);
            assertThat(client.read().body()).isEqualTo(content);
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    private static void isFull(TestServer server) {
        eventually("its buffers are full", () -> server.meter("sluice.http.queued.bytes") > 0);
    }

    /// Their clients may have gone, and have written the same since.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void writesAreGivenUp(boolean relayed) throws Exception {
        var server = server(relayed);
        try (var whole = server.connect();
                var cut = server.connect();
                var behindARead = server.connect()) {
            whole.send(PUT.formatted("late1", 0));
            begun(server, 1);
            whole.socket().shutdownOutput();
            assertThat(whole.isClosedByServer()).as("whole").isTrue();
            cut.send(PUT.formatted("late2", 10) + "half").socket().shutdownOutput();
            assertThat(cut.isClosedByServer()).as("in its body").isTrue();
            behindARead
                    .send(GET.formatted("late3") + PUT.formatted("4", 0))
                    .socket()
                    .shutdownOutput();
            whatWasSentIsSeen(server);
            may.countDown();
            assertThat(behindARead.read().text()).isEqualTo("/late3");
            assertThat(behindARead.isClosedByServer()).as("behind a read").isTrue();
            assertThat(server.accesses).noneMatch(entry -> entry.path().equals("/4"));
        }
    }

    /// Though nothing more is written to it.
    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, false", "true, true"})
    void clientThatHasGoneIsNoticed(boolean relayed, boolean saidSo) throws Exception {
        var server = server(relayed);
        try (var client = server.connect()) {
            client.send(GET.formatted("paused"));
            assertThat(client.socket().getInputStream().read()).isEqualTo('H');
            if (saidSo) {
                client.socket().shutdownOutput();
                whatWasSentIsSeen(server);
            }
        }
        for (var each : new TestServer[] {server, back}) {
            eventually(Duration.ofSeconds(10), () -> each.meter("sluice.http.requests.in.flight") == 0);
        }
    }

    /// Whether they wait is not known.
    @Test
    void thoseWithoutAnAnswerMakeRoomForOthers() throws Exception {
        var few = new TestConfig().maxConnections(4).build();
        try (var server = TestServer.immediate(few, this::answer, loops);
                var client = server.connect()) {
            client.send(GET.formatted("late")).socket().shutdownOutput();
            begun(server, 1);
            try (var _ = server.connect();
                    var _ = server.connect()) {
                assertThat(client.isClosedByServer()).isTrue();
            }
        }
    }

    @Test
    void manyRequestsBehindOneAreNotKept() throws Exception {
        try (var client = back.connect()) {
            client.send(GET.formatted("late"));
            begun(back, 1);
            client.send(GET.formatted("behind").repeat(1_200)).socket().shutdownOutput();
            assertThat(client.isClosedByServer()).isTrue();
        }
    }
}
