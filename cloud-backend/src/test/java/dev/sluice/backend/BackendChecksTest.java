package dev.sluice.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.checksum.Crc64Nvme;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class BackendChecksTest {
    private static final byte[] CHECK = "123456789".getBytes(StandardCharsets.US_ASCII);

    /// The published check values of each algorithm, for "123456789".
    private static final Map<ChecksumAlgorithm, String> KNOWN = Map.of(
            ChecksumAlgorithm.XXHASH64, "8cb841db40e6ae83",
            ChecksumAlgorithm.MD5, "25f9e794323b453885f5181f1b624d0b",
            ChecksumAlgorithm.CRC32, "cbf43926",
            ChecksumAlgorithm.CRC32C, "e3069283",
            ChecksumAlgorithm.CRC64NVME, "ae8b14860a799888",
            ChecksumAlgorithm.SHA1, "f7c3bc1d808e04732adf679965ccc34ca7ae3441",
            ChecksumAlgorithm.SHA256, "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225");

    @Test
    void everyAlgorithmGivesItsPublishedCheckValue() {
        KNOWN.forEach((algorithm, hex) -> {
            var digest = BodyDigest.of(algorithm);
            digest.update(ByteBuffer.wrap(CHECK));
            assertThat(digest.value()).as("%s", algorithm).isEqualTo(base64(hex));
        });
    }

    @Test
    void crc64IsTheSameHoweverTheBytesAreCut() {
        var bytes = new byte[1000];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i * 31);
        }
        var bytewise = new Crc64Nvme();
        for (byte each : bytes) {
            bytewise.update(each);
        }
        for (int cut = 0; cut <= 16; cut++) {
            var sliced = new Crc64Nvme();
            sliced.update(bytes, 0, cut);
            sliced.update(bytes, cut, bytes.length - cut);
            assertThat(sliced.getValue()).as("cut at %d", cut).isEqualTo(bytewise.getValue());
        }
    }

    @Test
    void theCheapestKnownCheckIsTaken() {
        var all = Map.of(ChecksumAlgorithm.SHA256, "s", ChecksumAlgorithm.CRC32C, "c");
        assertThat(BackendChecks.of(object(all, Optional.of("m"))))
                .isEqualTo(new BackendChecks.Checksum(ChecksumAlgorithm.CRC32C, "c"));
        assertThat(BackendChecks.of(object(Map.of(), Optional.of("m")))).isEqualTo(new BackendChecks.Md5("m"));
        assertThat(BackendChecks.of(object(Map.of(), Optional.empty()))).isEqualTo(new BackendChecks.LengthOnly(9));
    }

    @Test
    void rightBytesPassAndWrongOnesEndInAMismatchOnAnotherThreadToo() throws IOException {
        try (var executor = Executors.newSingleThreadExecutor()) {
            for (var known : KNOWN.entrySet()) {
                var check = new BackendChecks.Checksum(known.getKey(), base64(known.getValue()));
                assertThat(Bytes.all(check.verifying(Bytes.source(CHECK), executor)))
                        .isEqualTo(CHECK);
                var wrong = CHECK.clone();
                wrong[4] ^= 1;
                assertThatThrownBy(() -> Bytes.discard(check.verifying(Bytes.source(wrong), executor)))
                        .as("%s", known.getKey())
                        .isInstanceOf(BackendMismatch.class);
            }
        }
    }

    @Test
    void aMissingByteIsSeenWithoutAnyChecksum() {
        assertThatThrownBy(() ->
                        Bytes.discard(new BackendChecks.LengthOnly(10).verifying(Bytes.source(CHECK), Runnable::run)))
                .isInstanceOf(BackendMismatch.class);
    }

    private static BackendObject object(Map<ChecksumAlgorithm, String> checksums, Optional<String> md5) {
        return new BackendObject(
                "k", 9, "e", "v", Instant.EPOCH, new TreeMap<>(), new TreeMap<>(), checksums, md5, Optional.empty());
    }

    private static String base64(String hex) {
        return Base64.getEncoder().encodeToString(HexFormat.of().parseHex(hex));
    }
}
