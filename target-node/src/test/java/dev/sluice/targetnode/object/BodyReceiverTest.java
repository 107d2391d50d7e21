package dev.sluice.targetnode.object;

import static dev.sluice.targetnode.coldfill.TargetFixture.PLAIN;
import static dev.sluice.targetnode.coldfill.TargetFixture.md5;
import static dev.sluice.testing.Bytes.random;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.auth.BodyTerms;
import dev.sluice.common.auth.Hmac;
import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.checksum.Hasher;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.name.ObjectName;
import dev.sluice.common.peer.ObjectCall;
import dev.sluice.common.s3.Conditions;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.WriteAttributes;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.coldfill.TargetFixture;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Bodies that are longer than the window, whose pieces are spoilt as soon as they are released.
@Tag("compute")
@Timeout(60)
class BodyReceiverTest {
    private static final int SIZE = 9_000_000;
    private static final int PIECE = 100_000;
    private static final int CHUNK = 64 << 10;
    private static final byte[] CONTENT = random(1, SIZE);
    private static final EnumMap<ChecksumAlgorithm, String> EVERY_CHECKSUM = makeEveryChecksum();

    private static final Hmac KEY = Hmac.sha256("a signing key".getBytes(StandardCharsets.UTF_8));
    private static final String SCOPE = "20261105/us-east-1/s3/aws4_request";
    private static final String TIME = "20261105T123456Z";
    private static final String SEED = "5eed".repeat(16);

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

    /// Like the engine's: a buffer may be kept while there is memory, and is spoilt when nobody holds it any more.
    private static final class Sender implements ByteSource {
        private final ByteBuffer wire;
        private final int memory;
        private final int breaksOffAt;
        private final AtomicInteger keptNow = new AtomicInteger();
        private final AtomicInteger mostKept = new AtomicInteger();
        private Lent lent = new Lent(new byte[0]);

        private static final class Lent {
            private final byte[] bytes;
            private final AtomicInteger holders = new AtomicInteger(1);

            Lent(byte[] bytes) {
                this.bytes = bytes;
            }

            void release() {
                if (holders.decrementAndGet() == 0) {
                    Arrays.fill(bytes, (byte) 0);
                }
            }
        }

        /// @param memory how many times buffers can be kept before some are released
        Sender(byte[] wire, int memory, int breaksOffAt) {
            this.wire = ByteBuffer.wrap(wire);
            this.memory = memory;
            this.breaksOffAt = breaksOffAt;
        }

        @Override
        public ByteBuffer next() throws IOException {
            lent.release();
            lent = new Lent(new byte[0]);
            if (wire.position() >= breaksOffAt) {
                throw new IOException("the client went away");
            }
            lent = new Lent(new byte[Math.min(PIECE, wire.remaining())]);
            wire.get(lent.bytes);
            return ByteBuffer.wrap(lent.bytes);
        }

        @Override
        public Optional<Kept> keep() {
            if (keptNow.get() >= memory) {
                return Optional.empty();
            }
            mostKept.accumulateAndGet(keptNow.incrementAndGet(), Math::max);
            var held = lent;
            held.holders.incrementAndGet();
            return Optional.of(() -> {
                held.release();
                keptNow.decrementAndGet();
            });
        }

        @Override
        public void close() {
            lent.release();
            lent = new Lent(new byte[0]);
        }
    }

    private static Sender sender(byte[] wire) {
        return new Sender(wire, Integer.MAX_VALUE, Integer.MAX_VALUE);
    }

    private static WriteAttributes promising(Optional<String> md5, Map<ChecksumAlgorithm, String> checksums) {
        return new WriteAttributes(new TreeMap<>(), new TreeMap<>(), md5, checksums, Optional.empty());
    }

    private static EnumMap<ChecksumAlgorithm, String> makeEveryChecksum() {
        var all = new EnumMap<ChecksumAlgorithm, String>(ChecksumAlgorithm.class);
        for (var algorithm : ChecksumAlgorithm.values()) {
            var hasher = Hasher.of(algorithm);
            hasher.add(ByteBuffer.wrap(CONTENT));
            all.put(algorithm, hasher.base64());
        }
        return all;
    }

    private static ObjectCall put(Bucket bucket, WriteAttributes attributes, BodyTerms terms, int wireLength) {
        var request = new S3Request.PutObject(new ObjectName(bucket.name(), "a"), attributes, Conditions.NONE);
        return new ObjectCall(request, head(wireLength), terms, bucket);
    }

    private static RequestHead head(int wireLength) {
        var headers = Headers.builder().add("x-amz-decoded-content-length", Integer.toString(SIZE));
        var remote = InetSocketAddress.createUnresolved("client", 1);
        return new RequestHead("PUT", "/own/a", "", headers.build(), wireLength, remote, false, "request");
    }

    /// Chunks of 64 KiB, each signed.
    private static byte[] signedChunks() {
        var wire = new ByteArrayOutputStream();
        var signature = SEED;
        for (int at = 0; at <= SIZE; ) {
            int length = Math.min(CHUNK, SIZE - at);
            signature = KEY.hex(String.join(
                    "\n", "AWS4-HMAC-SHA256-PAYLOAD", TIME, SCOPE, signature, sha256(0, 0), sha256(at, length)));
            wire.writeBytes(
                    "%x;chunk-signature=%s\r\n".formatted(length, signature).getBytes(StandardCharsets.US_ASCII));
            wire.write(CONTENT, at, length);
            wire.writeBytes("\r\n".getBytes(StandardCharsets.US_ASCII));
            at += length == 0 ? 1 : length;
        }
        return wire.toByteArray();
    }

    private static String sha256(int offset, int length) {
        var hasher = Hasher.of(ChecksumAlgorithm.SHA256);
        hasher.add(ByteBuffer.wrap(CONTENT, offset, length));
        return HexFormat.of().formatHex(hasher.value());
    }

    private static BodyTerms hashed() {
        return new BodyTerms.Hashed(sha256(0, SIZE));
    }

    private static BodyTerms signed() {
        return new BodyTerms.SignedChunks(SEED, KEY, SCOPE, TIME, false);
    }

    @Test
    void allDigestsAndTheDriveGetTheSameBytes() {
        var promised = promising(Optional.of(md5(CONTENT)), EVERY_CHECKSUM);
        var chunks = signedChunks();
        for (var bucket : List.of(target.own(), target.cached())) {
            for (var terms : List.of(new BodyTerms.Plain(), hashed(), signed())) {
                var wire = terms instanceof BodyTerms.SignedChunks ? chunks : CONTENT;
                var body = sender(wire);
                assertThat(target.run(put(bucket, promised, terms, wire.length), body)
                                .status())
                        .isEqualTo(200);
                assertThat(body.keptNow).hasValue(0);
                int cuts = (4 << 20) / PIECE + (terms instanceof BodyTerms.SignedChunks ? (4 << 20) / CHUNK : 0);
                assertThat(body.mostKept)
                        .as("a window, and the piece that waits for room in it")
                        .hasValueBetween(2, cuts + 3);
                assertThat(target.get(bucket, "a").body()).isEqualTo(CONTENT);
            }
        }
    }

    @Test
    void bytesThatAreNotThePromisedOnesAreNotStored() {
        var chunks = signedChunks();
        chunks[chunks.length - 200] ^= 1; // in the last chunk that has bytes
        for (var bucket : List.of(target.own(), target.cached())) {
            requireRefused(bucket, promising(Optional.of("0".repeat(32)), Map.of()), new BodyTerms.Plain(), CONTENT)
                    .isInstanceOf(StoreException.BadDigest.class);
            for (var algorithm : ChecksumAlgorithm.values()) {
                var wrong = EVERY_CHECKSUM.clone();
                wrong.computeIfPresent(
                        algorithm, (_, right) -> (right.startsWith("A") ? "B" : "A") + right.substring(1));
                requireRefused(bucket, promising(Optional.empty(), wrong), new BodyTerms.Plain(), CONTENT)
                        .isInstanceOf(StoreException.BadDigest.class);
            }
            requireRefused(bucket, PLAIN, new BodyTerms.Hashed("0".repeat(64)), CONTENT)
                    .isInstanceOf(S3Failure.class)
                    .hasMessageContaining("x-amz-content-sha256");
            requireRefused(bucket, PLAIN, signed(), chunks)
                    .isInstanceOf(S3Failure.class)
                    .hasMessageContaining("signature of a chunk");
        }
        assertThat(target.cloud().memory().requests("put")).isZero();
    }

    private AbstractThrowableAssert<?, ? extends Throwable> requireRefused(
            Bucket bucket, WriteAttributes attributes, BodyTerms terms, byte[] wire) {
        var body = sender(wire);
        var refused = assertThatThrownBy(() -> target.run(put(bucket, attributes, terms, wire.length), body));
        assertThat(body.keptNow).as("pieces still held").hasValue(0);
        assertThat(target.stored(bucket, "a")).isFalse();
        return refused;
    }

    @Test
    void aSenderThatBreaksOffInTheMiddleLeavesNothing() {
        for (int at : new int[] {PIECE, 3_000_000, SIZE - 1}) {
            var body = new Sender(CONTENT, Integer.MAX_VALUE, at);
            assertThatThrownBy(() -> target.run(put(target.own(), PLAIN, new BodyTerms.Plain(), SIZE), body))
                    .isInstanceOf(StoreException.IncompleteBody.class);
            assertThat(body.keptNow).hasValue(0);
            assertThat(target.stored(target.own(), "a")).isFalse();

            var id = target.upload(target.own(), "a");
            var name = new ObjectName("own", "a");
            var part = TargetFixture.call(new S3Request.UploadPart(name, id, 1, PLAIN), target.own(), SIZE);
            var partBody = new Sender(CONTENT, Integer.MAX_VALUE, at);
            assertThatThrownBy(() -> target.run(part, partBody)).isInstanceOf(StoreException.IncompleteBody.class);
            assertThat(partBody.keptNow).hasValue(0);
            target.run(
                    TargetFixture.call(new S3Request.AbortMultipartUpload(name, id), target.own(), 0),
                    ByteSource.empty());
        }
    }

    @Test
    void aBodyArrivesAlsoWhileNoMemoryIsLeft() {
        for (int memory : new int[] {0, 1, 3}) {
            var body = new Sender(CONTENT, memory, Integer.MAX_VALUE);
            assertThat(target.run(put(target.own(), PLAIN, hashed(), SIZE), body)
                            .status())
                    .isEqualTo(200);
            assertThat(body.mostKept.get()).isLessThanOrEqualTo(memory);
            assertThat(body.keptNow).hasValue(0);
            assertThat(target.get(target.own(), "a").body()).isEqualTo(CONTENT);
        }
    }
}
