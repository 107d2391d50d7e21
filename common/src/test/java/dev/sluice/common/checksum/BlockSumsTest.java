package dev.sluice.common.checksum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BlockSumsTest {
    private static final long SEED = 7;

    @ParameterizedTest
    @ValueSource(ints = {0, 1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 5 << 20, (5 << 20) + 12_345})
    void blocksOfAnySizeAddUpToTheWhole(int size) {
        var random = new Random(SEED);
        var bytes = new byte[size];
        random.nextBytes(bytes);
        var summer = new BlockSummer();
        for (int at = 0; at < size; ) {
            int length = Math.min(size - at, 1 + random.nextInt(3 << 20));
            summer.update(at, ByteBuffer.wrap(bytes, at, length));
            at += length;
        }
        var sums = summer.finish(size);
        assertThat(BlockSums.ofBytes(sums.toBytes())).isEqualTo(sums);
        assertThat(sums.count()).isEqualTo(BlockSums.blocksOf(size));
        assertThat(sums.crc32c(size)).isEqualTo(crc(bytes, 0, size));
        for (int i = 0; i < sums.count(); i++) {
            int from = i * BlockSums.BLOCK;
            assertThat(sums.get(i)).isEqualTo((int) crc(bytes, from, Math.min(BlockSums.BLOCK, size - from)));
        }
        assertThatThrownBy(() -> summer.finish(size + 1L)).isInstanceOf(IllegalStateException.class);
    }

    private static long crc(byte[] bytes, int from, int length) {
        var crc = new CRC32C();
        crc.update(bytes, from, length);
        return crc.getValue();
    }
}
