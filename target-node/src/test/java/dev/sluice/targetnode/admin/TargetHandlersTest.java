package dev.sluice.targetnode.admin;

import static dev.sluice.targetnode.coldfill.TargetFixture.PLAIN;
import static dev.sluice.targetnode.coldfill.TargetFixture.source;
import static dev.sluice.testing.Bytes.random;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.sluice.common.auth.BodyTerms;
import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.http.ResponseBody;
import dev.sluice.common.name.ObjectName;
import dev.sluice.common.peer.ObjectCall;
import dev.sluice.common.s3.Conditions;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.WriteAttributes;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.coldfill.Received;
import dev.sluice.targetnode.coldfill.TargetFixture;
import dev.sluice.targetnode.object.CompleteUploadHandler;
import dev.sluice.targetnode.object.ObjectSizeLimit;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class TargetHandlersTest {
    @TempDir
    private Path folder;

    private TargetFixture target;

    @BeforeEach
    void open() throws IOException {
        target = new TargetFixture(folder);
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        try {
            target.requireNothingLeft();
        } finally {
            target.close();
        }
    }

    private List<Bucket> buckets() {
        return List.of(target.own(), target.cached());
    }

    private static WriteAttributes promising(Optional<String> md5, Map<ChecksumAlgorithm, String> checksums) {
        return new WriteAttributes(new TreeMap<>(), new TreeMap<>(), md5, checksums, Optional.empty());
    }

    private void requireAbsent(Bucket bucket, String key) {
        assertThatThrownBy(() -> target.get(bucket, key)).isInstanceOf(StoreException.NoSuchKey.class);
        assertThat(target.stored(bucket, key)).isFalse();
    }

    @Test
    void anObjectComesBackAsItWasPut() {
        for (var bucket : buckets()) {
            for (int size : new int[] {0, 1, 65_536, 65_537, 3_000_000}) {
                var key = "size/" + size;
                assertThat(target.put(bucket, key, random(size, size)).status()).isEqualTo(200);
                assertThat(target.get(bucket, key).body()).isEqualTo(random(size, size));
                assertThat(target.head(bucket, key).header("ETag"))
                        .isEqualTo('"' + TargetFixture.md5(random(size, size)) + '"');
            }
        }
    }

    @Test
    void bytesThatAreNotThePromisedOnesAreNotStored() {
        for (var bucket : buckets()) {
            for (int size : new int[] {10, 200_000}) {
                var content = random(size, size);
                for (var attributes : List.of(
                        promising(Optional.of("0".repeat(32)), Map.of()),
                        promising(Optional.empty(), Map.of(ChecksumAlgorithm.CRC32C, "AAAAAA==")),
                        promising(Optional.empty(), Map.of(ChecksumAlgorithm.CRC64NVME, "AAAAAAAAAAA=")),
                        promising(
                                Optional.of(TargetFixture.md5(content)),
                                Map.of(ChecksumAlgorithm.CRC32, "AAAAAA==")))) {
                    assertThatThrownBy(() -> target.put(bucket, "a", content, attributes, Conditions.NONE))
                            .isInstanceOf(StoreException.BadDigest.class);
                    requireAbsent(bucket, "a");
                }
                var request = new S3Request.PutObject(new ObjectName(bucket.name(), "a"), PLAIN, Conditions.NONE);
                var plain = TargetFixture.call(request, bucket, size);
                var hashed = new ObjectCall(request, plain.head(), new BodyTerms.Hashed("0".repeat(64)), bucket);
                assertThatThrownBy(() -> target.run(hashed, source(content))).isInstanceOf(S3Failure.class);
                requireAbsent(bucket, "a");
            }
        }
        assertThat(target.cloud().memory().requests("put")).isZero();
    }

    @Test
    void whatWasPutHereIsAHit() {
        for (var bucket : buckets()) {
            for (int size : new int[] {10, 200_000}) {
                target.put(bucket, "a" + size, random(size, size));
                for (int i = 0; i < 3; i++) {
                    assertThat(target.get(bucket, "a" + size).header("x-sluice-cache"))
                            .isEqualTo("hit");
                }
            }
        }
    }

    @Test
    void aFailedPutLeavesTheOldObject() {
        for (var bucket : buckets()) {
            target.put(bucket, "a", random(1, 1000));
            var wrong = promising(Optional.of("0".repeat(32)), Map.of());
            assertThatThrownBy(() -> target.put(bucket, "a", random(2, 1000), wrong, Conditions.NONE))
                    .isInstanceOf(StoreException.BadDigest.class);
            assertThat(target.get(bucket, "a").body()).isEqualTo(random(1, 1000));
        }
    }

    @Test
    void aReadThatAsksForRdmaIsAnsweredByHttpAndSaysSo() throws IOException {
        target.put(target.own(), "a", random(1, 1000));
        target.inCloud("a", random(1, 1000));
        for (var bucket : buckets()) {
            for (int i = 0; i < 2; i++) {
                var request = new S3Request.GetObject(
                        new ObjectName(bucket.name(), "a"),
                        Optional.empty(),
                        Conditions.NONE,
                        Optional.empty(),
                        false,
                        new TreeMap<>(),
                        Optional.empty());
                var head = new RequestHead(
                        "GET",
                        "/" + request.name(),
                        "",
                        Headers.of("X-Amz-Rdma-Token", "0011"),
                        0,
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 1),
                        false,
                        "request1");
                var call = new ObjectCall(request, head, new BodyTerms.Plain(), bucket);
                var got = Received.of(target.run(call, ByteSource.empty()));
                assertThat(got.header("x-amz-rdma-reply")).isEqualTo("501");
                assertThat(got.body()).isEqualTo(random(1, 1000));
            }
        }
    }

    private static ByteSource breakingAfter(byte[] content) {
        return new ByteSource() {
            private boolean sent;

            @Override
            public ByteBuffer next() throws IOException {
                if (sent) {
                    throw new IOException("the client went away");
                }
                sent = true;
                return ByteBuffer.wrap(content);
            }

            @Override
            public void close() {}
        };
    }

    @Test
    void aSenderThatBreaksOffLeavesNothing() {
        for (var bucket : buckets()) {
            for (int promised : new int[] {60_000, 2_000_000}) {
                var name = new ObjectName(bucket.name(), "a");
                var put = TargetFixture.call(new S3Request.PutObject(name, PLAIN, Conditions.NONE), bucket, promised);
                assertThatThrownBy(() -> target.run(put, breakingAfter(random(1, 50_000))))
                        .isInstanceOf(StoreException.IncompleteBody.class);
                assertThatThrownBy(() -> target.run(put, source(random(1, 50_000))))
                        .isInstanceOf(StoreException.IncompleteBody.class);
                requireAbsent(bucket, "a");
                var id = target.upload(bucket, "a");
                var part = TargetFixture.call(new S3Request.UploadPart(name, id, 1, PLAIN), bucket, promised);
                assertThatThrownBy(() -> target.run(part, breakingAfter(random(1, 50_000))))
                        .isInstanceOf(StoreException.IncompleteBody.class);
                assertThatThrownBy(() -> target.complete(bucket, "a", id, random(1, 50_000)))
                        .isInstanceOf(StoreException.InvalidPart.class);
                target.run(
                        TargetFixture.call(new S3Request.AbortMultipartUpload(name, id), bucket, 0),
                        ByteSource.empty());
            }
        }
        assertThat(target.cloud().memory().requests("put")).isZero();
    }

    @Test
    void aBodyOfUnknownLengthIsRefused() {
        var request = new S3Request.PutObject(new ObjectName("own", "a"), PLAIN, Conditions.NONE);
        var call = TargetFixture.call(request, target.own(), RequestHead.UNKNOWN_LENGTH);
        assertThatThrownBy(() -> target.run(call, source(random(1, 10))))
                .isInstanceOfSatisfying(
                        S3Failure.class,
                        failure -> assertThat(failure.error().status()).isEqualTo(411));
        requireAbsent(target.own(), "a");
    }

    /// Its node died, or the object is damaged further on.
    @Test
    void aCopyWhoseSourceBreaksOffIsNotTheClientsFault() throws IOException {
        var node = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        node.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, 100_000);
            exchange.getResponseBody().write(new byte[1000]);
            exchange.getResponseBody().flush();
            exchange.close();
        });
        node.start();
        try {
            target.isReachedAt("http://127.0.0.1:" + node.getAddress().getPort());
            var source = new ObjectName("own", "source");
            for (var bucket : buckets()) {
                var name = new ObjectName(bucket.name(), "a");
                var whole =
                        new S3Request.CopyObject(name, source, false, false, PLAIN, Conditions.NONE, Conditions.NONE);
                var id = target.upload(bucket, "a");
                var part = new S3Request.UploadPartCopy(name, id, 1, source, Optional.empty(), Conditions.NONE);
                for (var copy : List.of(whole, part)) {
                    assertThatThrownBy(() -> target.run(TargetFixture.call(copy, bucket, 0), ByteSource.empty()))
                            .isInstanceOf(StoreException.Unavailable.class)
                            .hasMessageContaining("source broke off");
                }
                requireAbsent(bucket, "a");
                target.run(
                        TargetFixture.call(new S3Request.AbortMultipartUpload(name, id), bucket, 0),
                        ByteSource.empty());
            }
        } finally {
            node.stop(0);
        }
    }

    // ---- CompleteMultipartUpload that takes long

    /// @param cloud called when the cloud is written
    private Received slowly(byte[] part, Runnable cloud) {
        var waiting = new CountDownLatch(3);
        target.cloud().before((operation, _) -> {
            if (operation.equals("put")) {
                try {
                    waiting.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                cloud.run();
            }
        });
        var id = target.upload(target.cached(), "a", part);
        var completing = target.completing(target.cached(), "a", id, part);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var handler = new CompleteUploadHandler(
                    target.store().multipart(),
                    target.newWrites(),
                    target.quotas(),
                    ObjectSizeLimit.DEFAULT,
                    target.newWriteThrough(),
                    threads,
                    Duration.ofMillis(5));
            var response = handler.handle(completing.call(), completing.request(), completing.body());
            var sent = new StringBuilder();
            var body = (ResponseBody.Streamed) response.body();
            assertThat(body.length()).isEqualTo(RequestHead.UNKNOWN_LENGTH);
            body.writer().writeTo(bytes -> {
                waiting.countDown(); // the declaration, and two spaces: then the cloud goes on
                sent.append(java.nio.charset.StandardCharsets.UTF_8.decode(bytes));
            });
            return new Received(
                    response.status(),
                    response.headers(),
                    sent.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8),
                    Optional.empty());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void aSlowCompleteIsWhiteSpaceAndThenTheResult() {
        var part = random(1, 200_000);
        var received = slowly(part, () -> {});
        assertThat(received.status()).isEqualTo(200);
        assertThat(received.text())
                .startsWith("<?xml")
                .containsPattern("\\?>\\s* {2,}<CompleteMultipartUploadResult")
                .contains(TargetFixture.md5(part));
        assertThat(target.get(target.cached(), "a").body()).isEqualTo(part);
    }

    @Test
    void aSlowCompleteThatFailsIsAnErrorInTheDocument() {
        var received = slowly(random(1, 200_000), () -> {
            throw new StoreException.BackendUnavailable("ordered", new IOException("ordered"));
        });
        assertThat(received.status()).isEqualTo(200);
        assertThat(received.text())
                .startsWith("<?xml")
                .containsPattern("\\?>\\s* {2,}<Error>")
                .contains("<Code>ServiceUnavailable</Code>")
                .doesNotContain("CompleteMultipartUploadResult");
        requireAbsent(target.cached(), "a");
    }
}
