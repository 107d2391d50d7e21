package dev.sluice.targetnode.replica.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.PackedWriter;
import dev.sluice.targetnode.storage.record.RecordFormat;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class RecordBytesTest {
    private static ObjectRecord record(int metadata) {
        int size = 5000;
        var sums = new Random(metadata).ints(BlockSums.blocksOf(size)).toArray();
        return new ObjectRecord(
                1L << 40,
                "train/caf\u00e9.tar",
                new ObjectVersion(7, (3L << 32) + 9),
                size,
                1_700_000_000_000L,
                1_700_000_001_234L,
                "d41d8cd98f00b204e9800998ecf8427e",
                Map.of(ChecksumAlgorithm.CRC32C, "AAAAAA=="),
                new TreeMap<>(Map.of("Content-Type", "application/x-tar")),
                new TreeMap<>(Map.of("owner", "x".repeat(metadata))),
                Optional.empty(),
                Optional.empty(),
                BlockSums.of(sums),
                Optional.empty(),
                BlockSums.of());
    }

    private static boolean isApart(ObjectRecord record) {
        return RecordFormat.encode(record).details().isPresent();
    }

    @Test
    void recordIsReadAsItWasWrittenWithAndWithoutDetailsApart() throws IOException {
        assertThat(isApart(record(10))).isFalse();
        assertThat(isApart(record(20_000))).isTrue();
        for (var record : List.of(record(10), record(20_000))) {
            assertThat(RecordBytes.decode(RecordBytes.encode(record))).isEqualTo(record);
        }
    }

    @Test
    void recordWithoutItsDetailsOrWithOthersIsRefused() {
        var stored = RecordFormat.encode(record(20_000));
        var none = new PackedWriter(1).bytes(stored.attribute()).flag(false).sealed();
        assertThatThrownBy(() -> RecordBytes.decode(none))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("without its details");
        var others = RecordFormat.encode(record(20_001)).details().orElseThrow();
        var swapped = new PackedWriter(1)
                .bytes(stored.attribute())
                .flag(true)
                .bytes(others)
                .sealed();
        assertThatThrownBy(() -> RecordBytes.decode(swapped)).isInstanceOf(IOException.class);
    }

    @Test
    void cutOrChangedBytesAreRefused() {
        var good = RecordBytes.encode(record(10));
        for (int at = 0; at < good.length; at++) {
            var cut = Arrays.copyOf(good, at);
            assertThatThrownBy(() -> RecordBytes.decode(cut)).isInstanceOf(IOException.class);
            var changed = good.clone();
            changed[at] ^= 4;
            assertThatThrownBy(() -> RecordBytes.decode(changed)).isInstanceOf(IOException.class);
        }
    }
}
