package dev.sluice.common.http.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.http.ByteSource;
import dev.sluice.common.http.Response;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Bytes of a body that are kept beyond the next read.
@Timeout(60)
class KeptBodyTest {
    private static final int SIZE = 6_000_000;

    private final byte[] content = new byte[SIZE];
    private final ArrayList<ByteBuffer> pieces = new ArrayList<>();
    private final ArrayList<ByteSource.Kept> kept = new ArrayList<>();
    private int refused;

    KeptBodyTest() {
        new Random(1).nextBytes(content);
    }

    /// Keeps what it can; copies what it cannot.
    private Response take(ByteSource body) throws Exception {
        for (var bytes = body.next(); bytes.hasRemaining(); bytes = body.next()) {
            var keep = body.keep();
            if (keep.isPresent()) {
                kept.add(keep.get());
                pieces.add(bytes);
            } else {
                refused++;
                pieces.add(ByteBuffer.allocate(bytes.remaining()).put(bytes).flip());
            }
        }
        return Response.text(200, "text/plain", "taken");
    }

    private void put(TestServer server) throws Exception {
        try (var client = server.connect()) {
            client.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: " + SIZE + "\r\n\r\n")
                    .send(content);
            assertThat(client.read().status()).isEqualTo(200);
        }
        var all = ByteBuffer.allocate(SIZE);
        pieces.forEach(all::put);
        assertThat(all.array()).isEqualTo(content);
    }

    @Test
    void keptBytesStayAndCountUntilTheyAreReleased() throws Exception {
        try (var server = TestServer.blocking(request -> take(request.body()))) {
            put(server);
            assertThat(refused).isZero();
            assertThat(server.meter("sluice.http.queued.bytes")).isEqualTo(SIZE);
            kept.forEach(ByteSource.Kept::release);
            assertThat(server.meter("sluice.http.queued.bytes")).isZero();
        }
    }

    @Test
    void nothingIsKeptWhileMemoryIsScarceAndTheBodyArrivesNevertheless() throws Exception {
        long budget = 2 << 20;
        var config = new TestConfig().memoryBudget(budget).build();
        try (var server = TestServer.blocking(config, request -> take(request.body()))) {
            put(server);
            assertThat(refused).isPositive();
            assertThat(server.meter("sluice.http.queued.bytes"))
                    .isBetween(1.0, budget / 2.0 + SocketBuffers.LARGEST_READ);
            kept.forEach(ByteSource.Kept::release);
            assertThat(server.meter("sluice.http.queued.bytes")).isZero();
        }
    }
}
