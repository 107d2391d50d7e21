package dev.sluice.targetnode.storage;

import static dev.sluice.targetnode.storage.StoreFixture.BUCKET;
import static dev.sluice.targetnode.storage.StoreFixture.config;
import static dev.sluice.targetnode.storage.StoreFixture.drives;
import static dev.sluice.targetnode.storage.StoreFixture.put;
import static dev.sluice.testing.Bytes.random;
import static dev.sluice.testing.Eventually.eventually;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.common.http.Blocking;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody;
import dev.sluice.common.http.engine.AccessLog;
import dev.sluice.common.http.engine.EngineConfig;
import dev.sluice.common.http.engine.EngineMetrics;
import dev.sluice.common.http.engine.EventLoops;
import dev.sluice.common.http.engine.FailureAnswers;
import dev.sluice.common.http.engine.HttpServer;
import dev.sluice.targetnode.storage.slots.Lookup;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Objects on their way from a drive to a client.
@Timeout(60)
class SentObjectTest {
    private static final int MIB = 1 << 20;

    @TempDir
    private Path folder;

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

    private interface Reading {
        void from(InputStream answer) throws Exception;
    }

    /// Sends the object `k` to a client, several times over one connection.
    ///
    /// @param reading gets the body of each answer
    private void get(ObjectStore store, int receiveBuffer, int times, Reading reading) throws Exception {
        try (var loops = EventLoops.start(1);
                var server = HttpServer.start(
                        EngineConfig.DEFAULTS,
                        loops,
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        _ -> new Blocking(_ -> {
                            var object = ((Lookup.Hit) store.lookup(BUCKET, "k")).object();
                            var size = object.record().size();
                            return Response.of(200, Headers.EMPTY, new ResponseBody.FileRange(object, 0, size));
                        }),
                        new EngineMetrics(meters, "test"),
                        FailureAnswers.PLAIN,
                        AccessLog.NONE);
                var client = new Socket()) {
            client.setReceiveBufferSize(receiveBuffer);
            client.setSoTimeout(20_000);
            client.connect(server.address());
            for (int i = 0; i < times; i++) {
                client.getOutputStream().write("GET /k HTTP/1.1\r\nHost: h\r\n\r\n".getBytes(US_ASCII));
                var in = client.getInputStream();
                var line = new StringBuilder();
                while (!line.toString().endsWith("\r\n\r\n")) {
                    line.append((char) in.read());
                }
                assertThat(line.toString()).startsWith("HTTP/1.1 200");
                reading.from(in);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 32_769, 100_000, 200_000, 262_143, 262_144, MIB + 100_000, 3 * MIB + 5})
    void everyLengthArrivesWhateverTheSocketTakesAtOnce(int length) throws Exception {
        var content = random(length, length);
        try (var store = ObjectStore.open(config(drives(folder, 1)))) {
            put(store, "k", content);
            for (int receiveBuffer : new int[] {8 << 10, 4 << 20}) {
                get(
                        store,
                        receiveBuffer,
                        3,
                        in -> assertThat(in.readNBytes(length)).isEqualTo(content));
            }
        }
    }

    @Test
    void bytesThatChangeOnTheDriveAfterTheirPreparationAreNotSent() throws Exception {
        PageCache.assumeTools();
        int read = 200_000;
        int size = 32 * MIB;
        var content = random(1, size);
        var file = folder.resolve("d1/objects/shards/k");
        var furthest = new AtomicLong();
        var watched = FaultyFiles.instead(call -> {
            if (call.name().equals("read") && call.path().endsWith("/k")) {
                furthest.accumulateAndGet((long) call.argument(0), Math::max);
            }
            return call.real();
        });
        try (var store = ObjectStore.open(config(drives(folder, 1)), watched)) {
            put(store, "k", content);
            get(store, 8 << 10, 1, in -> {
                assertThat(in.readNBytes(read)).isEqualTo(Arrays.copyOf(content, read));
                var calm = new AtomicInteger();
                eventually(
                        () -> (queued() > 0 ? calm.incrementAndGet() : calm.updateAndGet(_ -> 0)) == 100,
                        () -> "the client has not stopped it");
                int prepared = Math.toIntExact(furthest.get() / MIB * MIB);
                EvictedPagesTest.flip(file, prepared + MIB - 5);
                PageCache.drop(file);
                assumeTrue(PageCache.of(file) == 0, "skipped: the file system of " + folder + " keeps its pages");
                var rest = untilCut(in, size - read);
                assertThat(rest.length).isLessThan(prepared + MIB - 5 - read);
                assertThat(Arrays.mismatch(rest, Arrays.copyOfRange(content, read, read + rest.length)))
                        .as("the first wrong byte")
                        .isEqualTo(-1);
            });
        }
    }

    private double queued() {
        return meters.get("sluice.http.queued.bytes").gauge().value();
    }

    private static byte[] untilCut(InputStream in, int most) throws IOException {
        var bytes = new ByteArrayOutputStream();
        var buffer = new byte[64 << 10];
        try {
            for (int now = 0; now >= 0 && bytes.size() < most; now = in.read(buffer)) {
                bytes.write(buffer, 0, now);
            }
        } catch (SocketException cut) {
            assertThat(cut).hasMessageContaining("reset");
        }
        return bytes.toByteArray();
    }
}
