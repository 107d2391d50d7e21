package dev.sluice.common.checksum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ChecksumTest {
    private static final long SEED = 20261105;

    @ParameterizedTest
    @CsvSource({
        "CRC32,cbf43926",
        "CRC32C,e3069283",
        "CRC64NVME,ae8b14860a799888",
        "SHA1,f7c3bc1d808e04732adf679965ccc34ca7ae3441",
        "SHA256,15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225",
    })
    void theKnownValueOf123456789(ChecksumAlgorithm algorithm, String hex) {
        var hasher = Hasher.of(algorithm);
        hasher.add(ByteBuffer.wrap("123456789".getBytes(StandardCharsets.UTF_8)));
        assertThat(HexFormat.of().formatHex(hasher.value())).isEqualTo(hex);
    }

    /// As Amazon's SDK for C++ expects them in its tests.
    @ParameterizedTest
    @CsvSource({
        "SHA512,b3tSwOm8ciYgInIl7qsmQMTRTg6bftRpEBagE0ZWONKrb19uOBf1HZX++/ttF/2n/6MFWBq3O4Msl2oP/XC+pQ==",
        "MD5,M4gMG2pWdRa7veK+8/DIFA==",
        "XXHASH64,gpWjYMLp9XA=",
        "XXHASH3,9RrF7krhuOI=",
        "XXHASH128,AW5DBY+18wW7VuSsFyNFAg==",
    })
    void valuesAreWrittenAsAmazonWritesThem(ChecksumAlgorithm algorithm, String base64) {
        var bytes = "Memento Mori".getBytes(StandardCharsets.UTF_8);
        assertThat(base64(algorithm, bytes)).isEqualTo(base64);
        assertThat(algorithm.isValue(base64)).isTrue();
    }

    @Test
    void aValueHasItsAlgorithmsLength() {
        assertThat(ChecksumAlgorithm.CRC32.isValue("AAAAAA==")).isTrue();
        for (var malformed :
                List.of("", "AAAAAA", "AAAAAA=", "AAAAAA==-2", "AAAA", "AAAAAAA=", "AA AA===", "*AAAAA==")) {
            assertThat(ChecksumAlgorithm.CRC32.isValue(malformed)).as(malformed).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource
    void piecesOfAnySortGiveTheSameValue(ChecksumAlgorithm algorithm) {
        var random = new Random(SEED);
        for (int round = 0; round < 50; round++) {
            var bytes = bytes(random, random.nextInt(round == 1 ? 50_000 : 500));
            var direct = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
            var pieces = Hasher.of(algorithm);
            var expected = round % 2 == 0 ? ByteBuffer.wrap(bytes) : direct;
            for (int at = 0; at < bytes.length; ) {
                int length = Math.min(bytes.length - at, 1 + random.nextInt(round == 1 ? 20_000 : 40));
                pieces.add(expected.slice(at, length));
                at += length;
            }
            var whole = Hasher.of(algorithm);
            whole.add(ByteBuffer.wrap(bytes).asReadOnlyBuffer());
            assertThat(pieces.base64()).as("seed %d, round %d", SEED, round).isEqualTo(whole.base64());
            assertThat(expected.position()).isZero();
        }
    }

    @Test
    void crc64IsTheOneComputedBitByBit() {
        var random = new Random(SEED);
        for (int length = 0; length < 100; length++) {
            var bytes = bytes(random, length);
            var crc = new Crc64Nvme();
            crc.update(bytes, 0, length);
            assertThat(crc.getValue()).as("length %d", length).isEqualTo(bitByBit(bytes));
        }
    }

    private static long bitByBit(byte[] bytes) {
        long crc = -1;
        for (byte b : bytes) {
            crc ^= b & 0xFF;
            for (int i = 0; i < 8; i++) {
                crc = (crc >>> 1) ^ ((crc & 1) != 0 ? 0x9A6C9329AC4BC9B5L : 0);
            }
        }
        return ~crc;
    }

    @ParameterizedTest
    @EnumSource(names = {"CRC32", "CRC32C", "CRC64NVME"})
    void theWholeFollowsFromItsParts(ChecksumAlgorithm algorithm) {
        var random = new Random(SEED);
        for (int round = 0; round < 50; round++) {
            var whole = Hasher.of(algorithm);
            var parts = new ArrayList<MultipartChecksum.Part>();
            for (int i = random.nextInt(5); i >= 0; i--) {
                var bytes = bytes(random, random.nextInt(3) == 0 ? 0 : random.nextInt(100_000));
                whole.add(ByteBuffer.wrap(bytes));
                parts.add(new MultipartChecksum.Part(base64(algorithm, bytes), bytes.length));
            }
            assertThat(MultipartChecksum.fullObject(algorithm, parts))
                    .as("seed %d, round %d", SEED, round)
                    .isEqualTo(whole.base64());
        }
    }

    @Test
    void lengthsBeyondThirtyTwoBitsCombine() {
        // Appending 3 · 2^40 zero bytes at once, and in a thousand and twenty-four steps.
        for (var crc : List.of(CombinableCrc.CRC32, CombinableCrc.CRC32C, CombinableCrc.CRC64NVME)) {
            long stepwise = 0x12345678;
            for (int step = 0; step < 1024; step++) {
                stepwise = crc.combine(stepwise, 0, 3L << 30);
            }
            assertThat(crc.combine(0x12345678, 0, 3L << 40)).isEqualTo(stepwise);
            assertThat(crc.combine(0x12345678, 0, 0)).isEqualTo(0x12345678);
        }
        assertThatThrownBy(() -> CombinableCrc.CRC32.combine(0, 0, -1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void compositesAreTheChecksumOfChecksums() {
        var parts = List.of(part(ChecksumAlgorithm.SHA256, "one"), part(ChecksumAlgorithm.SHA256, "two"));
        var joined = Hasher.of(ChecksumAlgorithm.SHA256);
        for (var each : parts) {
            joined.add(ByteBuffer.wrap(Base64.getDecoder().decode(each.base64())));
        }
        assertThat(MultipartChecksum.composite(ChecksumAlgorithm.SHA256, parts)).isEqualTo(joined.base64() + "-2");
        assertThatThrownBy(() -> MultipartChecksum.fullObject(ChecksumAlgorithm.SHA256, parts))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static MultipartChecksum.Part part(ChecksumAlgorithm algorithm, String text) {
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        return new MultipartChecksum.Part(base64(algorithm, bytes), bytes.length);
    }

    private static String base64(ChecksumAlgorithm algorithm, byte[] bytes) {
        var hasher = Hasher.of(algorithm);
        hasher.add(ByteBuffer.wrap(bytes));
        return hasher.base64();
    }

    private static byte[] bytes(Random random, int length) {
        var bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }
}
