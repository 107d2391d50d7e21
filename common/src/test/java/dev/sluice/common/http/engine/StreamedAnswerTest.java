package dev.sluice.common.http.engine;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.http.Headers;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody;
import dev.sluice.common.http.ResponseBody.Streamed;
import dev.sluice.testing.Bytes;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Bodies made while they are sent.
class StreamedAnswerTest {
    private static final String GET = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";

    private static Response streamed(long length, ResponseBody.Writer writer) {
        return Response.of(200, Headers.EMPTY, new Streamed(length, writer));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 100, 5_000, 300_000})
    void everyByteArrivesWithAndWithoutALength(int piece) throws Exception {
        var bytes = Bytes.random(piece, 3_000_000 / Math.max(1, 5_000 / piece));
        ResponseBody.Writer writer = sink -> {
            for (int from = 0; from < bytes.length; from += piece) {
                sink.write(ByteBuffer.wrap(bytes, from, Math.min(piece, bytes.length - from)));
            }
        };
        try (var server = TestServer.blocking(
                        request -> streamed(request.head().query().equals("known") ? bytes.length : -1, writer));
                var client = server.connect()) {
            var chunked = client.send(GET).read();
            assertThat(chunked.field("Transfer-Encoding")).contains("chunked");
            assertThat(chunked.body()).isEqualTo(bytes);
            var known = client.send("GET /?known HTTP/1.1\r\nHost: h\r\n\r\n").read();
            assertThat(known.field("Content-Length")).contains("" + bytes.length);
            assertThat(known.body()).isEqualTo(bytes);
            eventually("nothing kept", () -> server.meter("sluice.http.queued.bytes") == 0);
        }
    }

    @Test
    void aStreamMayBeAnsweredAtOnceAndBeEmpty() throws Exception {
        try (var server = TestServer.immediate(_ -> streamed(-1, _ -> {}));
                var client = server.connect()) {
            assertThat(client.send(GET).read().body()).isEmpty();
            assertThat(client.send(GET).read().body()).isEmpty();
        }
    }

    @Test
    void whatIsWrittenLeavesAtOnce() throws Exception {
        var proceed = new CountDownLatch(1);
        try (var server = TestServer.blocking(_ -> streamed(-1, sink -> {
                    sink.write(ByteBuffer.wrap(new byte[] {' '}));
                    try {
                        proceed.await();
                    } catch (InterruptedException stopped) {
                        throw new IOException(stopped);
                    }
                    sink.write(ByteBuffer.wrap(new byte[] {'x'}));
                }));
                var client = server.connect()) {
            client.send(GET).readHead();
            assertThat(client.readBytes(4)).asString().isEqualTo("1\r\n ");
            proceed.countDown();
            assertThat(client.readBytes(13)).asString().isEqualTo("\r\n1\r\nx\r\n0\r\n\r\n");
        }
    }

    @Test
    void aWriterFailingBeforeItsFirstByteIsA500() throws Exception {
        try (var server = TestServer.blocking(_ -> streamed(10, _ -> {
                    throw new IOException("on purpose");
                }));
                var client = server.connect()) {
            assertThat(client.send(GET).read().status()).isEqualTo(500);
            assertThat(client.send(GET).read().status()).isEqualTo(500);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 1_000_000})
    void aWriterFailingLaterIsNeverACleanEnd(long length) throws Exception {
        var received = new CountDownLatch(1);
        try (var server = TestServer.blocking(_ -> streamed(length, sink -> {
                    sink.write(ByteBuffer.wrap(new byte[1000]));
                    try {
                        received.await();
                    } catch (InterruptedException stopped) {
                        throw new IOException(stopped);
                    }
                    throw new IOException("on purpose");
                }));
                var client = server.connect()) {
            assertThat(client.send(GET).readHead()).startsWith("HTTP/1.1 200");
            client.readBytes(1000);
            received.countDown();
            assertThat(new String(client.readToEnd(), java.nio.charset.StandardCharsets.ISO_8859_1))
                    .doesNotContain("0\r\n\r\n");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {999, 1001})
    void tooFewOrTooManyBytesAreNeverACleanEnd(int made) throws Exception {
        try (var server = TestServer.blocking(_ -> streamed(1000, sink -> {
                    sink.write(ByteBuffer.wrap(new byte[500]));
                    sink.write(ByteBuffer.wrap(new byte[made - 500]));
                }));
                var client = server.connect()) {
            assertThatThrownBy(() -> {
                        var answer = client.send(GET).read();
                        assertThat(answer.status()).isEqualTo(500);
                        throw new IOException("refused before the first byte");
                    })
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void aSlowReaderHoldsTheWriterBack() throws Exception {
        var written = new AtomicLong();
        try (var server = TestServer.blocking(_ -> streamed(1L << 30, sink -> {
                    var piece = new byte[64 << 10];
                    for (long i = 0; i < 1L << 30; i += piece.length) {
                        sink.write(ByteBuffer.wrap(piece));
                        written.addAndGet(piece.length);
                    }
                }));
                var client = new RawClient(server.server.address(), 16 << 10)) {
            client.send(GET).readHead();
            eventually("full", () -> server.meter("sluice.http.queued.bytes") >= 512 << 10);
            assertThat(server.meter("sluice.http.queued.bytes")).isLessThanOrEqualTo(1 << 20);
            assertThat(written.get()).isLessThan(64 << 20);
        }
    }

    @Test
    void aWriterWhoseClientIsGoneFails() throws Exception {
        var ended = new CountDownLatch(1);
        try (var server = TestServer.blocking(_ -> streamed(-1, sink -> {
            try {
                while (true) {
                    sink.write(ByteBuffer.wrap(new byte[64 << 10]));
                }
            } finally {
                ended.countDown();
            }
        }))) {
            try (var client = server.connect()) {
                client.send(GET).readHead();
            }
            ended.await();
            eventually("nothing kept", () -> server.meter("sluice.http.queued.bytes") == 0);
        }
    }

    @Test
    void aGibibyteStreamsThroughALittleMemory() throws Exception {
        long size = 1L << 30;
        try (var server = TestServer.blocking(_ -> streamed(size, sink -> {
                    var piece = ByteBuffer.allocateDirect(256 << 10);
                    for (long i = 0; i < size; i += piece.capacity()) {
                        sink.write(piece.duplicate());
                    }
                }));
                var client = server.connect()) {
            client.send(GET).readHead();
            long before = direct();
            long most = 0;
            var in = client.socket().getInputStream();
            var buffer = new byte[256 << 10];
            long read = 0;
            for (int count = in.read(buffer); count > 0; count = in.read(buffer)) {
                read += count;
                most = Math.max(most, direct() - before);
                if (read + (64 << 10) >= size) {
                    break;
                }
            }
            assertThat(read).isGreaterThan(size - (1 << 20));
            assertThat(direct()).isPositive();
            assertThat(most).isLessThan(64L << 20);
        }
    }

    /// What the buffers of all connections take, whether in use or kept for the next.
    private static long direct() {
        return ((ByteBufAllocatorMetricProvider) SocketBuffers.ALLOCATOR)
                .metric()
                .usedDirectMemory();
    }
}
