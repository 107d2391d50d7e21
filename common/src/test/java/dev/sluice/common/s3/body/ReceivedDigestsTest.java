package dev.sluice.common.s3.body;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.checksum.BlockChecksums;
import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.checksum.Hasher;
import dev.sluice.common.s3.WriteAttributes;
import dev.sluice.common.store.StoreException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReceivedDigestsTest {
    private static final long SEED = 7;
    private static final byte[] HELLO = "hello".getBytes(StandardCharsets.UTF_8);
    private static final String HELLO_MD5 = "5d41402abc4b2a76b9719d911017c592";

    @ParameterizedTest
    @ValueSource(ints = {0, 1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 5 << 20, (5 << 20) + 12_345})
    void blocksOfAnySizeVerifyAndAddUpToTheWhole(int size) {
        var random = new Random(SEED);
        var bytes = new byte[size];
        random.nextBytes(bytes);
        var builder = new BlockChecksums.Builder();
        for (int at = 0; at < size; ) {
            int length = Math.min(size - at, 1 + random.nextInt(3 << 20));
            builder.add(ByteBuffer.wrap(bytes, at, length));
            at += length;
        }
        var built = builder.build();
        var blocks = BlockChecksums.ofBytes(size, built.toBytes());
        assertThat(blocks).isEqualTo(built);
        var whole = new CRC32C();
        whole.update(bytes);
        assertThat(blocks.crc32c()).isEqualTo(whole.getValue());
        assertThat(blocks.count()).isEqualTo((size + BlockChecksums.BLOCK - 1) / BlockChecksums.BLOCK);
        for (int i = 0; i < blocks.count(); i++) {
            var block = ByteBuffer.wrap(bytes, i * BlockChecksums.BLOCK, blocks.length(i));
            assertThat(blocks.verify(i, block)).isTrue();
            assertThat(blocks.verify(i, block.slice(0, block.remaining() - 1))).isFalse();
            bytes[i * BlockChecksums.BLOCK + random.nextInt(blocks.length(i))] ^= 1;
            assertThat(blocks.verify(i, block)).isFalse();
        }
        assertThatThrownBy(() -> BlockChecksums.ofBytes(size + BlockChecksums.BLOCK, built.toBytes()))
                .isInstanceOf(IllegalArgumentException.class);
    }

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
        var rubbish = attributes(Optional.empty(), Map.of(algorithm, "***"), Optional.empty());
        assertThatThrownBy(() -> receive(rubbish, Map.of())).isInstanceOf(StoreException.InvalidArgument.class);
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

    private static ReceivedDigests.Received receive(
            WriteAttributes attributes, Map<ChecksumAlgorithm, String> trailers) {
        var digests = new ReceivedDigests(attributes);
        digests.add(ByteBuffer.wrap(HELLO, 0, 2));
        digests.add(ByteBuffer.wrap(HELLO, 2, 3));
        return digests.check(trailers);
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
