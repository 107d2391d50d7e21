package dev.sluice.common.http.engine;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.http.Headers;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody.FileRange;
import dev.sluice.common.store.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Parts of files, copied or sent by the kernel, prepared window by window.
class FileAnswerTest {
    private static final String GET = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
    private static final int MIB = 1 << 20;

    @TempDir
    Path folder;

    private static Response range(TestFile file, long offset, long length) {
        return Response.of(200, Headers.EMPTY, new FileRange(file, offset, length));
    }

    private static void closedOnce(TestFile file) throws InterruptedException {
        eventually("closed", () -> file.closings.get() > 0);
        assertThat(file.closings).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                0,
                1,
                4096,
                32_768,
                32_769,
                65_535,
                65_536,
                65_537,
                100_000,
                MIB - 1,
                MIB,
                MIB + 1,
                3 * MIB + 17,
                9 * MIB
            })
    void everyLengthArrivesWhetherReadyOrCold(int length) throws Exception {
        var path = folder.resolve("file");
        var bytes = TestFile.write(path, length + 12_345);
        for (int offset : new int[] {0, 12_345}) {
            for (boolean ready : new boolean[] {true, false}) {
                var file = ready ? TestFile.ready(path) : TestFile.cold(path);
                try (var server = TestServer.immediate(_ -> range(file, offset, length));
                        var client = server.connect()) {
                    assertThat(client.send(GET).read().body())
                            .isEqualTo(Arrays.copyOfRange(bytes, offset, offset + length));
                    closedOnce(file);
                    client.socket().shutdownOutput();
                    assertThat(client.isClosedByServer()).isTrue();
                }
            }
        }
    }

    @Test
    void manyFilesOverOneConnection() throws Exception {
        var path = folder.resolve("file");
        var bytes = TestFile.write(path, 3 * MIB);
        try (var server = TestServer.blocking(request -> {
                    int length = Integer.parseInt(request.head().query());
                    return range(length % 2 == 0 ? TestFile.ready(path) : TestFile.cold(path), 5, length);
                });
                var client = server.connect()) {
            int[] lengths = {10, 65_536, 65_537, 2 * MIB, 2 * MIB + 1, 1, 300_000};
            for (int round = 0; round < 3; round++) {
                for (int length : lengths) {
                    client.send("GET /?" + length + " HTTP/1.1\r\nHost: h\r\n\r\n");
                }
                for (int length : lengths) {
                    assertThat(client.read().body()).isEqualTo(Arrays.copyOfRange(bytes, 5, 5 + length));
                }
            }
        }
    }

    @Test
    void windowsEndWhereTheFilesOwnWindowsEnd() throws Exception {
        var path = folder.resolve("file");
        TestFile.write(path, 3 * MIB);
        var file = TestFile.cold(path);
        try (var server = TestServer.immediate(_ -> range(file, 1000, 2 * MIB + 5));
                var client = server.connect()) {
            assertThat(client.send(GET).read().body()).hasSize(2 * MIB + 5);
            assertThat(file.prepared).containsExactly("1000+" + (MIB - 1000), MIB + "+" + MIB, 2 * MIB + "+1005");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 2 * MIB})
    void aFirstWindowThatCannotBePreparedIsAnHonestError(int length) throws Exception {
        var path = folder.resolve("file");
        TestFile.write(path, length);
        var file = TestFile.cold(
                path,
                _ -> CompletableFuture.runAsync(() -> {
                    throw new StoreException.DriveFailed("broken drive", new IOException("EIO"));
                }));
        try (var server = TestServer.immediate(_ -> range(file, 0, length));
                var client = server.connect()) {
            var answer = client.send(GET).read();
            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.field("Retry-After")).contains("1");
            closedOnce(file);
        }
    }

    @Test
    void damagedBytesAreA500() throws Exception {
        var path = folder.resolve("file");
        TestFile.write(path, MIB);
        var file = TestFile.cold(
                path, _ -> CompletableFuture.failedFuture(new StoreException.Damaged("checksum of block 0")));
        try (var server = TestServer.immediate(_ -> range(file, 0, MIB));
                var client = server.connect()) {
            assertThat(client.send(GET).read().status()).isEqualTo(500);
            closedOnce(file);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1000, 100_000, 3 * MIB + 17})
    void bytesThatLeftMemoryAfterTheirPreparationAreVerifiedAgain(int length) throws Exception {
        var path = folder.resolve("file");
        var bytes = TestFile.write(path, length);
        var file = TestFile.cold(path);
        file.leaving = offset -> offset % MIB == 0;
        try (var server = TestServer.immediate(_ -> range(file, 0, length));
                var client = server.connect()) {
            assertThat(client.send(GET).read().body()).isEqualTo(bytes);
            closedOnce(file);
            assertThat(file.fetched).hasSize((length + MIB - 1) / MIB);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1000, 3 * MIB})
    void bytesThatLeftMemoryAndCameBackWrongAreNotSent(int length) throws Exception {
        var path = folder.resolve("file");
        TestFile.write(path, length);
        var file = TestFile.cold(path);
        int last = (length - 1) / MIB * MIB;
        file.leaving = offset -> offset == last;
        file.fetching = _ -> CompletableFuture.failedFuture(new StoreException.Damaged("checksum"));
        try (var server = TestServer.immediate(_ -> range(file, 0, length));
                var client = server.connect()) {
            client.send(GET);
            if (length == 1000) {
                assertThat(client.read().status()).isEqualTo(500);
            } else {
                assertThat(client.readHead()).startsWith("HTTP/1.1 200");
                assertThat(client.readToEnd().length).isLessThanOrEqualTo(last);
            }
            closedOnce(file);
        }
    }

    @Test
    void aClientThatLeavesWhileBytesAreReadAgainClosesTheFile() throws Exception {
        var path = folder.resolve("file");
        TestFile.write(path, MIB);
        var file = TestFile.ready(path);
        var reading = new CompletableFuture<Void>();
        file.leaving = _ -> true;
        file.fetching = _ -> reading;
        try (var server = TestServer.immediate(_ -> range(file, 0, MIB))) {
            try (var client = server.connect()) {
                client.send(GET);
                eventually("asked for", () -> !file.fetched.isEmpty());
                client.reset();
            }
            eventually("gone", () -> server.meter("sluice.http.connections") == 0);
            assertThat(file.closings).as("a drive thread still uses it").hasValue(0);
            reading.complete(null);
            closedOnce(file);
        }
    }

    @Test
    void aLaterWindowThatCannotBePreparedCutsTheConnection() throws Exception {
        var path = folder.resolve("file");
        TestFile.write(path, 3 * MIB);
        var file = TestFile.cold(
                path,
                offset -> offset < 2 * MIB
                        ? CompletableFuture.completedFuture(null)
                        : CompletableFuture.failedFuture(new StoreException.Damaged("checksum of block 2")));
        try (var server = TestServer.immediate(_ -> range(file, 0, 3 * MIB));
                var client = server.connect()) {
            client.send(GET);
            assertThat(client.readHead()).startsWith("HTTP/1.1 200");
            assertThat(client.readToEnd().length).isLessThanOrEqualTo(2 * MIB);
            closedOnce(file);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1000, 2 * MIB})
    void aFileShorterThanPromisedIsNeverACleanEnd(int length) throws Exception {
        var path = folder.resolve("file");
        TestFile.write(path, length);
        var file = TestFile.ready(path);
        try (var channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
            channel.truncate(length - 500);
        }
        try (var server = TestServer.immediate(_ -> range(file, 0, length));
                var client = server.connect()) {
            client.send(GET);
            if (length == 1000) {
                assertThat(client.read().status()).isEqualTo(500);
            } else {
                assertThatThrownBy(client::read).isInstanceOf(IOException.class);
            }
            closedOnce(file);
        }
    }

    @Test
    void aClientThatLeavesDuringTheAnswerOrThePreparationClosesTheFile() throws Exception {
        var path = folder.resolve("file");
        TestFile.write(path, 64 * MIB);
        var ready = TestFile.ready(path);
        try (var server = TestServer.immediate(_ -> range(ready, 0, 64 * MIB))) {
            try (var client = server.connect()) {
                client.send(GET).readHead();
            }
            closedOnce(ready);
        }
        var preparing = new CompletableFuture<Void>();
        var slow = TestFile.cold(path, _ -> preparing);
        try (var server = TestServer.immediate(_ -> range(slow, 0, 64 * MIB))) {
            try (var client = server.connect()) {
                client.send(GET);
                eventually("asked for", () -> !slow.prepared.isEmpty());
                client.reset();
            }
            eventually("gone", () -> server.meter("sluice.http.connections") == 0);
            assertThat(slow.closings).as("a drive thread still uses it").hasValue(0);
            preparing.complete(null);
            closedOnce(slow);
        }
    }

    @Test
    void anAnswerThatComesAfterTheClientLeftClosesTheFile() throws Exception {
        var path = folder.resolve("file");
        TestFile.write(path, 10);
        var file = TestFile.ready(path);
        var server = new TestServer[1];
        try (var started = TestServer.blocking(_ -> {
            eventually("gone", () -> server[0].meter("sluice.http.connections") == 0);
            return range(file, 0, 10);
        })) {
            server[0] = started;
            try (var client = started.connect()) {
                client.send(GET);
                eventually("begun", () -> started.meter("sluice.http.requests.in.flight") == 1);
                client.reset();
            }
            closedOnce(file);
        }
    }

    @Test
    void headAnd304CloseTheFileUnread() throws Exception {
        var path = folder.resolve("file");
        TestFile.write(path, 10);
        var file = TestFile.ready(path);
        try (var server = TestServer.immediate(_ -> range(file, 0, 10));
                var client = server.connect()) {
            var answer = client.send("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n").readWithoutBody();
            assertThat(answer.field("Content-Length")).contains("10");
            closedOnce(file);
        }
    }

    @Test
    void slowReadersCostLittleMemoryEachAndAllTogetherTheBudget() throws Exception {
        var path = folder.resolve("file");
        Files.write(path, new byte[0]);
        try (var channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[1]), (1L << 30) - 1);
        }
        long piece = (256 << 10) + 200; // with the head, and what the queue takes
        long budget = 4 * piece;
        var files = new CopyOnWriteArrayList<TestFile>();
        var clients = new ArrayList<RawClient>();
        try (var server =
                TestServer.immediate(new TestConfig().memoryBudget(budget).build(), _ -> {
                    try {
                        files.add(TestFile.ready(path));
                    } catch (IOException failed) {
                        throw new UncheckedIOException(failed);
                    }
                    return range(files.getLast(), 0, 1L << 30);
                })) {
            for (int i = 0; i < 20; i++) {
                var client = new RawClient(server.server.address(), 8 << 10);
                clients.add(client);
                client.send(GET).readHead();
                assertThat(client.readBytes(100_000)).hasSize(100_000);
                assertThat(server.meter("sluice.http.queued.bytes")).isBetween(0.0, (i + 1.0) * piece);
            }
            assertThat(server.meter("sluice.http.queued.bytes")).isLessThanOrEqualTo((double) budget + 2 * piece);
            for (var client : clients) {
                client.close();
            }
            for (var file : files) {
                closedOnce(file);
            }
            eventually("nothing kept", () -> server.meter("sluice.http.queued.bytes") == 0);
        }
        assertThat(files).hasSize(20);
    }
}
