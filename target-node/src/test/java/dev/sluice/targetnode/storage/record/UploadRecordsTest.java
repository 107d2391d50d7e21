package dev.sluice.targetnode.storage.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.checksum.ChecksumAlgorithm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class UploadRecordsTest {
    private static final Path GOLDEN = Path.of("src/test/resources/records");
    private static final String ID = "0123456789abcdef0123456789abcdef";

    private static final UploadState UPLOAD = new UploadState(
            new BucketRef(42, "train", 1, true),
            "caf\u00e9/0001.tar",
            ID,
            1_700_000_000_000L,
            new TreeMap<>(Map.of("Content-Type", "application/x-tar")),
            new TreeMap<>(Map.of("owner", "x")),
            Optional.of("CRC32C"),
            true,
            7,
            Optional.empty());

    private static final PartRecord PART = new PartRecord(
            ID,
            new ObjectVersion(3, 0x1_0000_0007L),
            2,
            5L << 20,
            "d41d8cd98f00b204e9800998ecf8427e",
            Map.of(ChecksumAlgorithm.CRC32C, "AAAAAA=="),
            1_700_000_001_234L,
            Part.SHARED,
            5L << 20,
            0xFEED_BEEFL);

    private static byte[] golden(String name) throws IOException {
        return HexFormat.of().parseHex(Files.readString(GOLDEN.resolve(name)).strip());
    }

    @Test
    void recordsAreWrittenAsTheFormatSays() throws IOException {
        isWrittenAs(UPLOAD, "upload-3.hex");
        isWrittenAs(
                UPLOAD.with(Optional.of(new UploadState.Completing(Optional.of("\u00e9tag")))), "upload-3-mark.hex");
        isWrittenAs(UPLOAD.with(Optional.of(new UploadState.Completing(Optional.empty()))), "upload-3-mark-absent.hex");
        assertThat(PartRecord.decode(golden("part-1.hex"))).isEqualTo(PART);
        assertThat(PART.encode()).isEqualTo(golden("part-1.hex"));
    }

    private static void isWrittenAs(UploadState upload, String golden) throws IOException {
        assertThat(UploadState.decode(golden(golden))).isEqualTo(upload);
        assertThat(upload.encode()).isEqualTo(golden(golden));
    }

    @Test
    void noDamagedByteIsOverlooked() {
        var stored = PART.encode();
        for (int i = 0; i < stored.length; i++) {
            var damaged = stored.clone();
            damaged[i] = (byte) (damaged[i] ^ 1 << i % 8);
            assertThatThrownBy(() -> PartRecord.decode(damaged)).isInstanceOf(DamagedRecordException.class);
            var cut = Arrays.copyOf(stored, i);
            assertThatThrownBy(() -> PartRecord.decode(cut)).isInstanceOf(DamagedRecordException.class);
        }
    }

    @Test
    void theFileOfARecordTellsTheNumber() {
        assertThat(Part.numberOf(Part.recordFile(PART.number(), PART.file()))).contains(2);
        assertThat(Part.numberOf(Part.apart(10_000, PART.version()))).contains(10_000);
        assertThat(Part.numberOf(Part.SHARED)).isEmpty();
        assertThat(Part.numberOf(UploadState.FILE)).isEmpty();
        assertThat(Part.numberOf("part-x")).isEmpty();
    }
}
