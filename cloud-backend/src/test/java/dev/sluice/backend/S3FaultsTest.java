package dev.sluice.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sluice.backend.access.BackendConnection;
import dev.sluice.backend.access.BackendCredentials;
import dev.sluice.backend.access.Reach;
import dev.sluice.backend.clouds.Backends;
import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.s3.ByteRange;
import dev.sluice.common.store.StoreException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Answers that a healthy server does not give, over a real connection: throttling, short bodies, checksums of parts.
class S3FaultsTest {
    private static final BackendSettings QUICK = quick(5L << 30);

    private static BackendSettings quick(long multipartThreshold) {
        return new BackendSettings(
                1,
                0,
                Duration.ofSeconds(2),
                Duration.ofSeconds(5),
                Duration.ofMillis(200),
                3,
                Duration.ofMillis(1),
                Duration.ofMillis(10),
                multipartThreshold,
                5L << 20);
    }

    private interface Answer {
        void send(HttpExchange exchange) throws IOException;
    }

    private final Queue<Answer> answers = new ArrayDeque<>();
    private final AtomicInteger requests = new AtomicInteger();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private HttpServer server;
    private Backend backend;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            requests.incrementAndGet();
            try (exchange) {
                answers.remove().send(exchange);
            }
        });
        server.start();
        backend = Backends.open(connection(), QUICK, registry);
    }

    private BackendConnection connection() {
        var endpoint = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        var address = BackendAddress.parse("s3://bucket").endpoint(endpoint);
        var keys = new BackendCredentials.Keys("key", "secret");
        return new BackendConnection(address, keys, Reach.NAMED);
    }

    @AfterEach
    void stop() {
        backend.close();
        server.stop(0);
    }

    private static Answer status(int status) {
        return exchange -> exchange.sendResponseHeaders(status, -1);
    }

    private static Answer body(int status, Map<String, String> headers, String body) {
        return exchange -> {
            headers.forEach(exchange.getResponseHeaders()::set);
            exchange.sendResponseHeaders(status, body.length());
            exchange.getResponseBody().write(BackendContract.utf8(body));
        };
    }

    @Test
    void throttlingIsWaitedOutAndCounted() throws IOException {
        answers.add(status(503));
        answers.add(status(429));
        answers.add(body(200, Map.of("ETag", "\"e\""), "hello"));
        try (var stream = backend.get("a", BackendRead.WHOLE)) {
            assertThat(Bytes.all(stream.body())).asString().isEqualTo("hello");
        }
        assertThat(registry.get("sluice.backend.throttled").counter().count()).isEqualTo(2);
        assertThat(requests).hasValue(3);
    }

    @Test
    void throttlingThatDoesNotEndIsUnavailable() {
        for (int i = 0; i < QUICK.attempts(); i++) {
            answers.add(status(503));
        }
        assertThatThrownBy(() -> backend.head("a")).isInstanceOf(StoreException.BackendUnavailable.class);
        assertThat(requests).hasValue(QUICK.attempts());
    }

    @Test
    void aPutIsNotRepeatedOnceItsBodyWasBegun() {
        answers.add(exchange -> {
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(500, -1);
        });
        assertThatThrownBy(() -> backend.put("a", 100_000, Bytes.generated(100_000), Bytes.PLAIN, WriteCondition.NONE))
                .isInstanceOf(StoreException.BackendUnavailable.class);
        assertThat(requests).hasValue(1);
    }

    @Test
    void aShortBodyIsAnErrorAndNoEnd() throws IOException {
        answers.add(exchange -> {
            exchange.sendResponseHeaders(200, 1000);
            exchange.getResponseBody().write(new byte[600]);
            exchange.getResponseBody().flush();
            throw new IOException("ordered");
        });
        try (var stream = backend.get("a", BackendRead.WHOLE)) {
            assertThatThrownBy(() -> Bytes.discard(stream.body())).isInstanceOf(IOException.class);
        }
    }

    @Test
    void checksumsOfPartsAreNotTakenForTheObjects() throws IOException {
        answers.add(
                body(200, Map.of("x-amz-checksum-crc32c", "4waSgw==", "x-amz-checksum-sha256", "AAAA-3"), "123456789"));
        answers.add(body(200, Map.of("x-amz-checksum-crc32c", "4waSgw==", "x-amz-checksum-type", "COMPOSITE"), "x"));
        answers.add(
                body(206, Map.of("x-amz-checksum-crc32c", "4waSgw==", "Content-Range", "bytes 0-8/100"), "123456789"));
        try (var whole = backend.get("a", BackendRead.WHOLE)) {
            assertThat(whole.object().checksums()).containsOnlyKeys(ChecksumAlgorithm.CRC32C);
        }
        try (var composite = backend.get("a", BackendRead.WHOLE)) {
            assertThat(composite.object().checksums()).isEmpty();
        }
        try (var part = backend.get("a", BackendRead.of(new ByteRange.FromTo(0, 8)))) {
            assertThat(part.object().checksums()).isEmpty();
            assertThat(part.object().size()).isEqualTo(100);
        }
    }

    @Test
    void anETagIsAnMd5OnlyWhereAmazonSaysSo() throws IOException {
        var md5 = "5d41402abc4b2a76b9719d911017c592";
        record Case(String etag, String encryption, boolean isMd5) {}
        for (var each : new Case[] {
            new Case(md5, "", true),
            new Case(md5, "AES256", true),
            new Case(md5, "aws:kms", false),
            new Case(md5 + "-2", "", false),
            new Case("opaque", "", false)
        }) {
            var headers = each.encryption().isEmpty()
                    ? Map.of("ETag", '"' + each.etag() + '"')
                    : Map.of("ETag", '"' + each.etag() + '"', "x-amz-server-side-encryption", each.encryption());
            answers.add(body(200, headers, "hello"));
            try (var stream = backend.get("a", BackendRead.WHOLE)) {
                assertThat(stream.object().md5().isPresent()).as("%s", each).isEqualTo(each.isMd5());
            }
        }
    }

    /// Keeps what a request says of encryption, and takes it.
    private static Answer encrypting(List<String> asked, Map<String, String> headers, String body) {
        return exchange -> {
            var header = exchange.getRequestHeaders().getFirst("x-amz-server-side-encryption");
            asked.add(exchange.getRequestMethod() + " " + (header == null ? "-" : header));
            exchange.getRequestBody().readAllBytes();
            body(200, headers, body).send(exchange);
        };
    }

    @Test
    void encryptionIsAskedForWhereTheWriterWantsItAndConfirmedAsTheCloudSays() {
        var asked = new ArrayList<String>();
        var etag = Map.of("ETag", "\"e\"");
        var confirmed = Map.of("ETag", "\"e\"", "x-amz-server-side-encryption", "AES256");
        for (var says : List.of(confirmed, etag)) {
            answers.add(encrypting(asked, says, ""));
            var put = backend.put("a", 5, Bytes.generated(5), Bytes.ENCRYPTED, WriteCondition.NONE);
            assertThat(put.encryption()).isEqualTo(Optional.ofNullable(says.get("x-amz-server-side-encryption")));
        }
        answers.add(encrypting(asked, etag, ""));
        assertThat(backend.put("a", 5, Bytes.generated(5), Bytes.PLAIN, WriteCondition.NONE)
                        .encryption())
                .isEmpty();
        assertThat(asked).containsExactly("PUT AES256", "PUT AES256", "PUT -");
    }

    @Test
    void anUploadInPartsIsBegunWithItsEncryption() {
        var asked = new ArrayList<String>();
        var confirmed = Map.of("x-amz-server-side-encryption", "AES256");
        answers.add(encrypting(
                asked,
                confirmed,
                "<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>"));
        answers.add(encrypting(asked, Map.of("ETag", "\"p\""), ""));
        answers.add(encrypting(
                asked,
                confirmed,
                "<CompleteMultipartUploadResult><ETag>\"e-1\"</ETag></CompleteMultipartUploadResult>"));
        try (var parts = Backends.open(connection(), quick(4), new SimpleMeterRegistry())) {
            var put = parts.put("a", 5, Bytes.generated(5), Bytes.ENCRYPTED, WriteCondition.NONE);
            assertThat(put.etag()).isEqualTo("e-1");
            assertThat(put.encryption()).contains("AES256");
        }
        assertThat(asked).containsExactly("POST AES256", "PUT -", "POST -");
    }

    @Test
    void whenAllConnectionsAreInUseTheNextRequestIsRefusedInTime() throws IOException {
        answers.add(body(200, Map.of(), "hello"));
        try (var stream = backend.get("a", BackendRead.WHOLE)) {
            assertThat(stream.length()).isEqualTo(5);
            assertThatThrownBy(() -> backend.head("b")).isInstanceOf(StoreException.Unavailable.class);
        }
        answers.add(body(200, Map.of("ETag", "\"e\""), "hello"));
        try (var stream = backend.get("a", BackendRead.WHOLE)) {
            assertThat(Bytes.all(stream.body())).asString().isEqualTo("hello");
        }
    }
}
