package dev.sluice.targetnode.storage.shards;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.targetnode.storage.record.ObjectKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// What is read back of an index's file; that nothing else is taken for one.
class ShardIndexTest {
    private static final ObjectKey OWNER = new ObjectKey(7, "train/0001.tar");

    private static final class File implements ShardIndex.Source {
        private final byte[] bytes;

        File(byte[] bytes) {
            this.bytes = bytes;
        }

        @Override
        public void read(long offset, ByteBuffer into) {
            int length = Math.clamp(bytes.length - offset, 0, into.remaining());
            into.put(bytes, (int) Math.min(offset, bytes.length), length);
        }
    }

    private static byte[] golden(String name) throws IOException {
        return GoldenShards.all()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow()
                .bytes();
    }

    private static byte[] index(byte[] tar) {
        var file = TarScanTest.joined(TarScanTest.scan(tar, new Random(1)).file());
        var bytes = new byte[file.remaining()];
        file.get(bytes);
        return bytes;
    }

    @Test
    void samplesAreReadBack() throws IOException {
        var tar = golden("between");
        var made = TarScanTest.scan(tar, new Random(1)).samples();
        var file = new File(index(tar));
        var read = ShardIndex.samples(file, OWNER, tar.length).orElseThrow();
        assertThat(read.count()).isEqualTo(made.count());
        for (int i = 0; i < made.count(); i++) {
            assertThat(read.offset(i)).isEqualTo(made.offset(i));
            assertThat(read.length(i)).isEqualTo(made.length(i));
            assertThat(read.crc32(i)).isEqualTo(made.crc32(i));
        }
        assertThat(ShardIndex.owner(file)).contains(OWNER);
    }

    @Test
    void theIndexOfAnotherShardIsNone() throws IOException {
        var tar = golden("ustar");
        var file = new File(index(tar));
        assertThat(ShardIndex.samples(file, new ObjectKey(8, OWNER.key()), tar.length))
                .isEmpty();
        assertThat(ShardIndex.samples(file, new ObjectKey(7, "train/0002.tar"), tar.length))
                .isEmpty();
        assertThat(ShardIndex.samples(file, OWNER, tar.length + 1)).isEmpty();
    }

    @Test
    void noFlippedBitOfTheSamplesAndNoCutIsTakenForAnIndex() throws IOException {
        var tar = golden("ustar");
        var whole = index(tar);
        int end = ShardIndex.HEAD + OWNER.key().length() + 3 * ShardSamples.ENTRY + Integer.BYTES;
        for (int bit = 0; bit < 8 * end; bit++) {
            var bytes = whole.clone();
            bytes[bit / 8] ^= (byte) (1 << bit % 8);
            assertThat(ShardIndex.samples(new File(bytes), OWNER, tar.length))
                    .as("bit %d", bit)
                    .isEmpty();
        }
        for (int length = 0; length < end; length++) {
            var bytes = Arrays.copyOf(whole, length);
            assertThat(ShardIndex.samples(new File(bytes), OWNER, tar.length)).isEmpty();
        }
    }

    /// More samples than one look at the file shows.
    @Test
    void largeIndexesAreReadWhole() throws IOException {
        var index = new NewIndex();
        for (int i = 0; i < 20_000; i++) {
            index.sample(i * 512L);
            index.sampleEnded((i + 1) * 512L, i);
        }
        var file = TarScanTest.joined(index.encode(OWNER, 20_000 * 512L));
        var bytes = new byte[file.remaining()];
        file.get(bytes);
        var read = ShardIndex.samples(new File(bytes), OWNER, 20_000 * 512L).orElseThrow();
        assertThat(read.count()).isEqualTo(20_000);
        assertThat(read.crc32(19_999)).isEqualTo(19_999);
        assertThat(read.offset(20_000)).isEqualTo(20_000 * 512L);
    }
}
