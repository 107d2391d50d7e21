package dev.sluice.targetnode.replica.transfer;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.PeerAddress;
import dev.sluice.common.peer.PeerClient;
import dev.sluice.common.peer.PeerPaths;
import dev.sluice.common.peer.PeerTokens;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class OutboxTest {
    private static final NodeId SELF = new NodeId("target001");
    private static final NodeId OTHER = new NodeId("target002");

    private final PeerClient peers = new PeerClient(new PeerTokens(SELF, new byte[32], InstantSource.system()));
    private final AtomicLong lost = new AtomicLong();
    private final List<Integer> received = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger calls = new AtomicInteger();
    private final CountDownLatch first = new CountDownLatch(1);
    private volatile CountDownLatch gate = new CountDownLatch(0);
    private volatile int status = 204;
    private HttpServer server;

    @BeforeEach
    void open() throws IOException {
        server = serve(0);
    }

    private HttpServer serve(int port) throws IOException {
        var made = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 8);
        made.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        made.createContext(PeerPaths.REPLICA, exchange -> {
            calls.incrementAndGet();
            first.countDown();
            var batch = ByteBuffer.wrap(exchange.getRequestBody().readAllBytes());
            try {
                gate.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            while (status == 204 && batch.hasRemaining()) {
                var message = new byte[batch.getInt()];
                batch.get(message);
                received.add(ByteBuffer.wrap(message).getInt());
            }
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
        });
        made.start();
        return made;
    }

    @AfterEach
    void close() {
        gate.countDown();
        peers.close();
        server.stop(0);
    }

    private Outbox outbox() {
        var url = "http://127.0.0.1:" + server.getAddress().getPort();
        return new Outbox(new PeerAddress(OTHER, url), new HttpTargets(peers), lost, Outbox.FIRST);
    }

    private static byte[] message(int number, int size) {
        return ByteBuffer.allocate(size).putInt(number).array();
    }

    @Test
    void messagesThatGatherComeInOrderInOneCall() throws InterruptedException {
        gate = new CountDownLatch(1);
        try (var outbox = outbox()) {
            outbox.send(message(0, 100));
            first.await();
            for (int i = 1; i < 1000; i++) {
                outbox.send(message(i, 100));
            }
            gate.countDown();
            eventually(() -> received.size() == 1000);
            assertThat(lost).hasValue(0);
        }
        assertThat(received)
                .containsExactlyElementsOf(IntStream.range(0, 1000).boxed().toList());
        assertThat(calls).hasValue(2);
    }

    @Test
    void callsHaveABound() throws InterruptedException {
        gate = new CountDownLatch(1);
        try (var outbox = outbox()) {
            outbox.send(message(0, 100));
            first.await();
            for (int i = 1; i <= 10; i++) {
                outbox.send(message(i, 300 << 10));
            }
            gate.countDown();
            eventually(() -> received.size() == 11);
        }
        assertThat(calls).as("two in each call").hasValue(6);
        assertThat(768 << 10).isLessThanOrEqualTo(PeerTokens.LARGEST_MESSAGES);
    }

    @Test
    void theRecordOfTheLargestObjectGoesAlone() throws InterruptedException {
        gate = new CountDownLatch(1);
        try (var outbox = outbox()) {
            outbox.send(message(0, 100));
            first.await();
            outbox.send(message(1, 100));
            outbox.send(message(2, 21 << 20));
            outbox.send(message(3, 100));
            gate.countDown();
            eventually(() -> received.size() == 4);
        }
        assertThat(calls).hasValue(4);
        assertThat(lost).hasValue(0);
    }

    @Test
    void messagesForWhichThereIsNoRoomAreLostAndCounted() throws InterruptedException {
        gate = new CountDownLatch(1);
        try (var outbox = outbox()) {
            outbox.send(message(0, 100));
            first.await();
            for (int i = 1; i <= 40; i++) {
                outbox.send(message(i, 1 << 20));
            }
            assertThat(lost).hasValue(8);
            gate.countDown();
            eventually(() -> received.size() == 33);
            outbox.send(message(99, 1 << 20));
            eventually(() -> received.contains(99));
        }
        assertThat(lost).hasValue(8);
    }

    @Test
    void deliveryGoesOnAfterAnOutage() throws IOException {
        int port = server.getAddress().getPort();
        try (var outbox = outbox()) {
            server.stop(0);
            outbox.send(message(1, 100));
            eventually(() -> lost.get() == 1);
            server = serve(port);
            outbox.send(message(2, 100));
            eventually(() -> received.contains(2));
            status = 503;
            outbox.send(message(3, 100));
            eventually(() -> lost.get() == 2);
            status = 204;
            outbox.send(message(4, 100));
            eventually(() -> received.contains(4));
        }
        assertThat(received).containsExactly(2, 4);
    }
}
