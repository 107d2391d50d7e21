package dev.sluice.common.s3.body;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.checksum.BlockSummer;
import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.checksum.Hasher;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.WriteAttributes;
import dev.sluice.common.store.StoreException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ReceivedDigestsTest {
    private static final byte[] HELLO = "hello".getBytes(StandardCharsets.UTF_8);
    private static final String HELLO_MD5 = "5d41402abc4b2a76b9719d911017c592";

    @Test
    void withNothingPromisedTheEtagAndCrc32cAreGiven() {
        var received = receive(attributes(Optional.empty(), Map.of(), Optional.empty()), Map.of());
        assertThat(received.etag()).isEqualTo(HELLO_MD5);
        assertThat(received.size()).isEqualTo(5);
        assertThat(received.checksums()).isEqualTo(Map.of(ChecksumAlgorithm.CRC32C, value(ChecksumAlgorithm.CRC32C)));
    }

    @ParameterizedTest
    @EnumSource
    void aPromiseInAHeaderIsKeptOrBroken(ChecksumAlgorithm algorithm) {
        var right = attributes(Optional.empty(), Map.of(algorithm, value(algorithm)), Optional.empty());
        assertThat(receive(right, Map.of()).checksums()).isEqualTo(Map.of(algorithm, value(algorithm)));
        var wrong = attributes(Optional.empty(), Map.of(algorithm, wrongValue(algorithm)), Optional.empty());
        assertThatThrownBy(() -> receive(wrong, Map.of())).isInstanceOf(StoreException.BadDigest.class);
        assertThat(receive(right, Map.of()).crc32c()).isEqualTo(value(ChecksumAlgorithm.CRC32C));
    }

    @ParameterizedTest
    @EnumSource
    void aPromiseInATrailerIsKeptOrBroken(ChecksumAlgorithm algorithm) {
        var announced = attributes(Optional.empty(), Map.of(), Optional.of(algorithm));
        assertThat(receive(announced, Map.of(algorithm, value(algorithm))).checksums())
                .isEqualTo(Map.of(algorithm, value(algorithm)));
        assertThat(receive(announced, Map.of()).checksums()).isEqualTo(Map.of(algorithm, value(algorithm)));
        assertThatThrownBy(() -> receive(announced, Map.of(algorithm, wrongValue(algorithm))))
                .isInstanceOf(StoreException.BadDigest.class);
        for (var malformed : List.of("***", "", value(algorithm) + "-1", "AAAA" + value(algorithm))) {
            assertThatThrownBy(() -> receive(announced, Map.of(algorithm, malformed)))
                    .as(malformed)
                    .isInstanceOfSatisfying(
                            S3Failure.class,
                            refusal -> assertThat(refusal.error().code()).isEqualTo("InvalidRequest"));
        }
    }

    @Test
    void anUnannouncedTrailerIsNotTakenOnTrust() {
        assertThatThrownBy(() -> receive(
                        attributes(Optional.empty(), Map.of(), Optional.empty()),
                        Map.of(ChecksumAlgorithm.SHA1, value(ChecksumAlgorithm.SHA1))))
                .isInstanceOf(StoreException.InvalidArgument.class);
    }

    @Test
    void contentMd5IsCompared() {
        receive(attributes(Optional.of(HELLO_MD5), Map.of(), Optional.empty()), Map.of());
        assertThatThrownBy(() -> receive(
                        attributes(Optional.of(HELLO_MD5.replace('5', '6')), Map.of(), Optional.empty()), Map.of()))
                .isInstanceOf(StoreException.BadDigest.class);
    }

    @Test
    void bytesAtHandAreVerifiedToo() {
        ReceivedDigests.verify(HELLO, attributes(Optional.of(HELLO_MD5), Map.of(), Optional.empty()));
        var wrong = attributes(
                Optional.empty(),
                Map.of(ChecksumAlgorithm.CRC32C, wrongValue(ChecksumAlgorithm.CRC32C)),
                Optional.empty());
        assertThatThrownBy(() -> ReceivedDigests.verify(HELLO, wrong)).isInstanceOf(StoreException.BadDigest.class);
    }

    private static ReceivedDigests.Received receive(
            WriteAttributes attributes, Map<ChecksumAlgorithm, String> trailers) {
        var blocks = new BlockSummer();
        blocks.update(0, ByteBuffer.wrap(HELLO));
        try (var digests = ReceivedDigests.ofStream(attributes, -1)) {
            digests.adding(ByteBuffer.wrap(HELLO, 0, 2)).join();
            digests.adding(ByteBuffer.wrap(HELLO, 2, 3)).join();
            return digests.check(HELLO.length, blocks.finish(HELLO.length), trailers);
        }
    }

    private static WriteAttributes attributes(
            Optional<String> md5, Map<ChecksumAlgorithm, String> checksums, Optional<ChecksumAlgorithm> declared) {
        return new WriteAttributes(new TreeMap<>(), new TreeMap<>(), md5, checksums, declared);
    }

    private static String value(ChecksumAlgorithm algorithm) {
        var hasher = Hasher.of(algorithm);
        hasher.add(ByteBuffer.wrap(HELLO));
        return hasher.base64();
    }

    private static String wrongValue(ChecksumAlgorithm algorithm) {
        return Hasher.of(algorithm).base64();
    }
}
