package dev.sluice.targetnode.storage.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.checksum.BlockSummer;
import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.checksum.ChecksumAlgorithm;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class RecordFormatTest {
    private static final Path GOLDEN = Path.of("src/test/resources/records");

    private static ObjectRecord record(int blocks, int metadata) {
        var sums = new Random(1).ints(blocks).toArray();
        return new ObjectRecord(
                42,
                "train/caf\u00e9/0001.tar",
                new ObjectVersion(3, 0x1_0000_0007L),
                blocks == 0 ? 0 : (blocks - 1L) * BlockSums.BLOCK + 17,
                1_700_000_000_000L,
                1_700_000_001_234L,
                "d41d8cd98f00b204e9800998ecf8427e-2",
                Map.of(ChecksumAlgorithm.CRC32C, "AAAAAA==", ChecksumAlgorithm.SHA256, "c2hh"),
                new TreeMap<>(Map.of("Content-Type", "application/x-tar", "Cache-Control", "no-store")),
                new TreeMap<>(Map.of("owner", "x".repeat(metadata))),
                List.of(5L << 20, 17L),
                Optional.of("generation-9"),
                BlockSums.of(sums));
    }

    @Test
    void aRecordIsReadAsItWasWritten() throws IOException {
        for (var record : List.of(record(0, 0), record(3, 10), record(3, 2500), record(3, 5000), record(5000, 0))) {
            var stored = RecordFormat.encode(record);
            assertThat(stored.attribute().length).isLessThanOrEqualTo(RecordFormat.INLINE_LIMIT);
            assertThat(RecordFormat.decode(
                            stored.attribute(), _ -> stored.details().orElseThrow()))
                    .isEqualTo(record);
        }
    }

    /// The files were written by the first version of the format; they must be readable for ever.
    @Test
    void recordsWrittenByFormerVersionsAreStillRead() throws IOException {
        var inline = HexFormat.of()
                .parseHex(
                        Files.readString(GOLDEN.resolve("record-1-inline.hex")).strip());
        assertThat(RecordFormat.decode(inline, _ -> new byte[0])).isEqualTo(record(3, 10));
        assertThat(RecordFormat.encode(record(3, 10)).attribute()).isEqualTo(inline);
        var attribute = HexFormat.of()
                .parseHex(Files.readString(GOLDEN.resolve("record-1-apart.hex")).strip());
        var details = HexFormat.of()
                .parseHex(Files.readString(GOLDEN.resolve("details-1.hex")).strip());
        assertThat(RecordFormat.decode(attribute, _ -> details)).isEqualTo(record(900, 10));
    }

    @Test
    void noDamagedByteIsOverlooked() {
        var stored = RecordFormat.encode(record(3, 10)).attribute();
        for (int i = 0; i < stored.length; i++) {
            var damaged = stored.clone();
            damaged[i] = (byte) (damaged[i] ^ 1 << i % 8);
            assertThatThrownBy(() -> RecordFormat.head(damaged))
                    .as("byte %d", i)
                    .isInstanceOf(DamagedRecordException.class);
            var cut = java.util.Arrays.copyOf(stored, i);
            assertThatThrownBy(() -> RecordFormat.head(cut)).isInstanceOf(DamagedRecordException.class);
        }
    }

    @Test
    void anotherVersionsDetailsAreRefused() {
        var stored = RecordFormat.encode(record(900, 10));
        var other = RecordFormat.encode(record(900, 11));
        assertThatThrownBy(() -> RecordFormat.decode(
                        stored.attribute(), _ -> other.details().orElseThrow()))
                .isInstanceOf(DamagedRecordException.class);
    }

    @Test
    void aNewerFormatIsRefusedByName() {
        var newer = RecordFormat.encode(record(3, 10)).attribute();
        newer[0] = 2;
        var crc = new CRC32C();
        crc.update(newer, 0, newer.length - 4);
        ByteBuffer.wrap(newer).putInt(newer.length - 4, (int) crc.getValue());
        assertThatThrownBy(() -> RecordFormat.head(newer))
                .isInstanceOf(UnknownFormatException.class)
                .hasMessageContaining("format 2");
    }

    @Test
    void blocksAreSummedInWhateverPiecesTheyCome() {
        var content = new byte[3 * BlockSums.BLOCK + 12345];
        new Random(2).nextBytes(content);
        var whole = new BlockSummer();
        whole.update(0, ByteBuffer.wrap(content));
        var pieces = new BlockSummer();
        int second = 2 * BlockSums.BLOCK;
        for (int at = second; at < content.length; at += 99_991) {
            pieces.update(at, ByteBuffer.wrap(content, at, Math.min(99_991, content.length - at)));
        }
        for (int at = 0; at < second; at += 70_001) {
            pieces.update(at, ByteBuffer.wrap(content, at, Math.min(70_001, second - at)));
        }
        assertThat(pieces.finish(content.length)).isEqualTo(whole.finish(content.length));
        assertThatThrownBy(() -> pieces.finish(content.length + 1)).isInstanceOf(IllegalStateException.class);
        var gap = new BlockSummer();
        gap.update(0, ByteBuffer.wrap("abc".getBytes(StandardCharsets.US_ASCII)));
        assertThatThrownBy(() -> gap.update(4, ByteBuffer.allocate(1))).isInstanceOf(IllegalStateException.class);
        assertThat(Objects.hash(whole.finish(content.length))).isEqualTo(Objects.hash(pieces.finish(content.length)));
    }
}
