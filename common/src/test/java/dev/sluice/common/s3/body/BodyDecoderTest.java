package dev.sluice.common.s3.body;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sluice.common.auth.BodyTerms;
import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.store.StoreException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class BodyDecoderTest {
    private static final long SEED = 99;
    private static final int WHOLE = Integer.MAX_VALUE;

    @ParameterizedTest
    @EnumSource
    void everyFramingRoundTripsHoweverItIsCut(Framing framing) throws IOException {
        var random = new Random(SEED);
        for (int round = 0; round < 60; round++) {
            var object = object(random, random.nextInt(3) == 0 ? random.nextInt(3) : random.nextInt(3000));
            var message = framing.message(object, chunks(random, object.length));
            assertDecodes(Decoded.read(message, _ -> 1), object, framing, round);
            assertDecodes(Decoded.read(message, _ -> WHOLE), object, framing, round);
            assertDecodes(Decoded.read(message, _ -> 1 + random.nextInt(100)), object, framing, round);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"SIGNED", "SIGNED_TRAILER", "UNSIGNED_TRAILER"})
    void withoutAuthenticationTheFramingIsStillTakenOff(Framing framing) throws IOException {
        var random = new Random(SEED);
        var object = object(random, 1000);
        var message =
                framing.message(object, List.of(600, 400)).withTerms(new BodyTerms.UnverifiedChunks(framing.trailer()));
        assertDecodes(Decoded.read(message, _ -> 7), object, framing, 0);
    }

    /// Else the framing would be stored, and a promised checksum never be compared.
    @ParameterizedTest
    @CsvSource({
        "x-amz-trailer, x-amz-checksum-crc32, InvalidRequest",
        "x-amz-decoded-content-length, 4, InvalidRequest",
        "x-amz-decoded-content-length, five, InvalidArgument",
        "x-amz-decoded-content-length, 5, ''",
    })
    void aBodyWithoutFramingHasNothingThatOnlyFramingBrings(String name, String value, String code) throws IOException {
        for (var terms : List.of(new BodyTerms.Plain(), new BodyTerms.Hashed("0".repeat(64)))) {
            var head = new RequestHead(
                    "PUT",
                    "/b/k",
                    "",
                    Headers.of(name, value),
                    5,
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 1),
                    false,
                    "r");
            if (code.isEmpty()) {
                BodyDecoder.open(ByteSource.empty(), head, terms).close();
            } else {
                assertThatThrownBy(() -> BodyDecoder.open(ByteSource.empty(), head, terms))
                        .isInstanceOfSatisfying(
                                S3Failure.class,
                                refusal -> assertThat(refusal.error().code()).isEqualTo(code));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatIsCutShortIsRefused(Framing framing) {
        var object = object(new Random(SEED), 300);
        var message = framing.message(object, List.of(100, 200));
        for (int length = 0; length < message.wire().length; length++) {
            var cut = message.withWire(Arrays.copyOf(message.wire(), length));
            assertThat(catchThrowable(() -> Decoded.read(cut, _ -> 50)))
                    .as("cut at %d", length)
                    .isInstanceOf(StoreException.IncompleteBody.class);
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatGoesOnTooLongIsRefused(Framing framing) {
        var message = framing.message(object(new Random(SEED), 300), List.of(100, 200));
        var longer = message.withWire(Arrays.copyOf(message.wire(), message.wire().length + 1));
        assertThat(catchThrowable(() -> Decoded.read(longer, _ -> 50)))
                .isInstanceOfAny(S3Failure.class, StoreException.IncompleteBody.class);
        assertThat(catchThrowable(() -> Decoded.read(longer, _ -> WHOLE)))
                .isInstanceOfAny(S3Failure.class, StoreException.IncompleteBody.class);
    }

    /// Signed framings and hashed bodies let no changed byte through. A changed letter of a size or of a
    /// field's name may mean the same in its other case; then the object is the same too.
    @ParameterizedTest
    @EnumSource(names = {"HASHED", "SIGNED", "SIGNED_TRAILER"})
    void noFlippedBitGetsThrough(Framing framing) {
        var object = object(new Random(SEED), 300);
        var message = framing.message(object, List.of(171, 129));
        for (int i = 0; i < message.wire().length; i++) {
            for (int bit = 0; bit < 8; bit++) {
                var wire = message.wire().clone();
                wire[i] ^= (byte) (1 << bit);
                boolean otherCase = bit == 5 && Character.isLetter(wire[i]);
                assertRefusedOrSame(message.withWire(wire), object, otherCase, "byte " + i + ", bit " + bit);
            }
        }
    }

    /// Without signatures only the framing itself can be seen to be wrong, the rest by the trailer's checksum.
    @Test
    void aFlippedBitOfUnsignedFramingGivesTheSameLengthOrIsRefused() {
        var object = object(new Random(SEED), 300);
        var message = Framing.UNSIGNED_TRAILER.message(object, List.of(171, 129));
        for (int i = 0; i < message.wire().length; i++) {
            for (int bit = 0; bit < 8; bit++) {
                var wire = message.wire().clone();
                wire[i] ^= (byte) (1 << bit);
                try {
                    var decoded = Decoded.read(message.withWire(wire), _ -> 64);
                    boolean seen =
                            !decoded.trailers().equals(Map.of(ChecksumAlgorithm.CRC32, Framing.crc32(decoded.bytes())));
                    assertThat(seen || Arrays.equals(decoded.bytes(), object))
                            .as("byte %d, bit %d", i, bit)
                            .isTrue();
                    assertThat(decoded.bytes()).hasSize(object.length);
                } catch (S3Failure | StoreException | IOException e) {
                    assertThat(e).isInstanceOfAny(S3Failure.class, StoreException.IncompleteBody.class);
                }
            }
        }
    }

    /// The text is what botocore 1.43's AwsChunkedWrapper made of it.
    @Test
    void botocoresTrailerFramingIsRead() throws IOException {
        var hello = "hello world".getBytes(StandardCharsets.UTF_8);
        var wire = "4\r\nhell\r\n4\r\no wo\r\n3\r\nrld\r\n0\r\nx-amz-checksum-crc32:DUoRhQ==\r\n\r\n";
        var message =
                Framing.UNSIGNED_TRAILER.message(hello, List.of(11)).withWire(wire.getBytes(StandardCharsets.US_ASCII));
        assertDecodes(Decoded.read(message, _ -> WHOLE), hello, Framing.UNSIGNED_TRAILER, 0);
    }

    @Test
    void chunksCannotChangePlaces() {
        var object = object(new Random(SEED), 200);
        var wire = Framing.SIGNED.message(object, List.of(100, 100)).wire();
        int chunk = "64;chunk-signature=".length() + 64 + 2 + 100 + 2;
        var swapped = wire.clone();
        System.arraycopy(wire, 0, swapped, chunk, chunk);
        System.arraycopy(wire, chunk, swapped, 0, chunk);
        var message = Framing.SIGNED.message(object, List.of(100, 100)).withWire(swapped);
        assertCode("SignatureDoesNotMatch", message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "|IncompleteBody",
                "5;x=y\\r\\nhello\\r\\n0\\r\\nT\\r\\n|InvalidRequest",
                "5hello|IncompleteBody",
                "g\\r\\nhello|InvalidChunkSizeError",
                "-5\\r\\nhello|InvalidChunkSizeError",
                "\\r\\nhello|InvalidChunkSizeError",
                "ffffffffffffffffff\\r\\nhello|InvalidChunkSizeError",
                "7fffffffffffffff\\r\\nhello|InvalidChunkSizeError",
                "6\\r\\nhello!\\r\\n0\\r\\nT\\r\\n|IncompleteBody",
                "4\\r\\nhell\\r\\n0\\r\\nT\\r\\n|IncompleteBody",
                "5\\r\\nhello0\\r\\nT\\r\\n|InvalidRequest",
                "5\\r\\nhello\\r\\n0\\r\\n\\r\\n|MalformedTrailerError",
                "5\\r\\nhello\\r\\n0\\r\\nTT\\r\\n|MalformedTrailerError",
                "5\\r\\nhello\\r\\n0\\r\\nx-amz-checksum-sha1:x\\r\\n\\r\\n|MalformedTrailerError",
                "5\\r\\nhello\\r\\n0\\r\\nx-evil:x\\r\\n\\r\\n|MalformedTrailerError",
                "5\\r\\nhello\\r\\n0\\r\\nnonsense\\r\\n\\r\\n|MalformedTrailerError",
                "5\\r\\nhello\\r\\n0\\r\\nTx-amz-trailer-signature:x\\r\\n\\r\\n|MalformedTrailerError",
                "5\\r\\nhello\\r\\n0\\r\\nT\\r\\nmore|InvalidRequest",
            })
    void malformedFramingIsRefused(String wire, String code) {
        var hello = "hello".getBytes(StandardCharsets.UTF_8);
        var trailer = "x-amz-checksum-crc32:" + Framing.crc32(hello) + "\r\n";
        var text = (wire == null ? "" : wire).replace("\\r\\n", "\r\n").replace("T", trailer);
        var message =
                Framing.UNSIGNED_TRAILER.message(hello, List.of(5)).withWire(text.getBytes(StandardCharsets.UTF_8));
        assertCode(code, message);
    }

    @Test
    void endlessLinesAreRefusedBeforeTheyFillMemory() {
        var endless = new byte[1 << 20];
        Arrays.fill(endless, (byte) '0');
        var message = Framing.UNSIGNED_TRAILER.message(new byte[0], List.of());
        assertCode("InvalidRequest", message.withWire(endless));
        var trailer = ("0\r\nx-amz-checksum-crc32:" + "A".repeat(1 << 20)).getBytes(StandardCharsets.UTF_8);
        assertCode("InvalidRequest", message.withWire(trailer));
    }

    @Test
    void aWrongHashIsRefusedBeforeTheLastBytesAreHandedOut() throws IOException {
        var object = object(new Random(SEED), 100);
        var message = Framing.HASHED.message(object, List.of()).withTerms(new BodyTerms.Hashed("ab".repeat(32)));
        try (var body = BodyDecoder.open(ByteSource.of(ByteBuffer.wrap(object)), message.head(), message.terms())) {
            var first = catchThrowable(body::next);
            assertThat(first).hasMessageStartingWith("XAmzContentSHA256Mismatch");
            assertThat(catchThrowable(body::next)).isSameAs(first);
        }
    }

    @Test
    void theDeclaredLengthIsKnownBeforeTheBytes() {
        var object = object(new Random(SEED), 100);
        for (var framing : Framing.values()) {
            var message = framing.message(object, List.of(100));
            try (var body = BodyDecoder.open(ByteSource.empty(), message.head(), message.terms())) {
                assertThat(body.decodedLength()).isEqualTo(100);
            }
        }
        var unknown = Framing.UNSIGNED_TRAILER
                .message(object, List.of(100))
                .withHeaders(Headers.of("x-amz-trailer", "x-amz-checksum-crc32"));
        try (var body = BodyDecoder.open(ByteSource.empty(), unknown.head(), unknown.terms())) {
            assertThat(body.decodedLength()).isEqualTo(-1);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "x-amz-decoded-content-length,-1,InvalidArgument",
        "x-amz-decoded-content-length,9999999999999999999,InvalidArgument",
        "x-amz-trailer,x-evil,InvalidRequest"
    })
    void aHeadThatMakesNoSenseIsRefused(String name, String value, String code) {
        var message = Framing.UNSIGNED_TRAILER.message(new byte[0], List.of()).withHeaders(Headers.of(name, value));
        assertThatThrownBy(() -> BodyDecoder.open(ByteSource.empty(), message.head(), message.terms())
                        .close())
                .hasMessageStartingWith(code);
    }

    @Test
    void bytesAreSlicesOfTheBuffersTheyCameIn() throws IOException {
        var object = object(new Random(SEED), 1000);
        for (var framing : Framing.values()) {
            var message = framing.message(object, List.of(1000));
            var wire = ByteBuffer.allocateDirect(message.wire().length)
                    .put(message.wire())
                    .flip();
            try (var body = BodyDecoder.open(ByteSource.of(wire), message.head(), message.terms())) {
                var bytes = body.next();
                assertThat(bytes.isDirect()).isTrue();
                assertThat(bytes.remaining()).isEqualTo(1000);
            }
        }
    }

    private static void assertDecodes(Decoded decoded, byte[] object, Framing framing, int round) {
        assertThat(decoded.bytes()).as("seed %d, round %d", SEED, round).isEqualTo(object);
        assertThat(decoded.trailers())
                .isEqualTo(framing.trailer() ? Map.of(ChecksumAlgorithm.CRC32, Framing.crc32(object)) : Map.of());
    }

    private static void assertRefusedOrSame(Framing.Message message, byte[] object, boolean maySame, String which) {
        try {
            var decoded = Decoded.read(message, _ -> 64);
            assertThat(maySame).as("%s got through", which).isTrue();
            assertThat(decoded.bytes()).as(which).isEqualTo(object);
        } catch (S3Failure | StoreException | IOException e) {
            assertThat(e).as(which).isInstanceOfAny(S3Failure.class, StoreException.IncompleteBody.class);
        }
    }

    private static void assertCode(String code, Framing.Message message) {
        var thrown = catchThrowable(() -> Decoded.read(message, _ -> 1024));
        if (code.equals("IncompleteBody")) {
            assertThat(thrown).isInstanceOf(StoreException.IncompleteBody.class);
        } else {
            var failure = catchThrowableOfType(S3Failure.class, () -> Decoded.read(message, _ -> 3));
            assertThat(failure).as("%s expected, got %s", code, thrown).isNotNull();
            assertThat(failure.error().code()).isEqualTo(code);
        }
    }

    private static byte[] object(Random random, int length) {
        var object = new byte[length];
        random.nextBytes(object);
        return object;
    }

    private static List<Integer> chunks(Random random, int total) {
        var chunks = new ArrayList<Integer>();
        for (int left = total; left > 0; ) {
            int length = Math.min(left, 1 + random.nextInt(1000));
            chunks.add(length);
            left -= length;
        }
        return chunks;
    }
}
