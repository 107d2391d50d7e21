package dev.sluice.targetnode.storage.shards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.shards.GoldenShards.Golden;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The golden shards, in pieces of any size; and that nothing makes the scan fail otherwise than by saying so.
class TarScanTest {
    private static final ObjectKey OWNER = new ObjectKey(7, "train/0001.tar");

    static Stream<Golden> golden() throws Exception {
        return GoldenShards.all();
    }

    static TarScan.Result scan(byte[] tar, Random pieces) {
        var scan = new TarScan(OWNER, tar.length);
        for (int at = 0; at < tar.length; ) {
            int length = Math.min(tar.length - at, 1 + pieces.nextInt(pieces.nextBoolean() ? 1500 : 40));
            scan.take(ByteBuffer.wrap(tar, at, length));
            at += length;
        }
        return scan.end();
    }

    @ParameterizedTest
    @MethodSource("golden")
    void samplesAreWhatThePythonPackageMakesOfThem(Golden golden) {
        for (int seed = 0; seed < 20; seed++) {
            var pieces = new Random(seed);
            if (!golden.isGood()) {
                assertThatThrownBy(() -> scan(golden.bytes(), pieces))
                        .as("seed %d", seed)
                        .isInstanceOf(StoreException.NoWholeTar.class)
                        .hasMessageMatching(
                                golden.bytes().length == 0 ? ".*empty.*" : ".*byte " + golden.bad() + "\\b.*");
                continue;
            }
            var samples = scan(golden.bytes(), pieces).samples();
            var expected = golden.expected().get("samples");
            assertThat(samples.count()).as("seed %d", seed).isEqualTo(expected.size());
            for (int i = 0; i < samples.count(); i++) {
                var sample = expected.get(i);
                assertThat(samples.offset(i)).isEqualTo(sample.get("offset").asLong());
                assertThat(samples.length(i)).isEqualTo(sample.get("length").asLong());
                assertThat("%08x".formatted(samples.crc32(i)))
                        .isEqualTo(sample.get("crc32").asText());
            }
        }
    }

    /// Whatever is flipped or cut, a scan ends with an index or a refusal.
    @ParameterizedTest
    @MethodSource("golden")
    void damagedTarsAreRefusedOrRead(Golden golden) {
        for (int seed = 0; seed < 300; seed++) {
            var random = new Random(seed);
            var bytes = Arrays.copyOf(
                    golden.bytes(), golden.bytes().length - random.nextInt(1 + golden.bytes().length / 4));
            for (int i = random.nextInt(4); i > 0 && bytes.length > 0; i--) {
                bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            }
            try {
                var samples = scan(bytes, random).samples();
                assertThat(samples.offset(samples.count())).as("seed %d", seed).isLessThanOrEqualTo(bytes.length);
            } catch (StoreException.NoWholeTar refused) {
                assertThat(refused).hasMessageNotContaining("null");
            }
        }
    }

    @Test
    void aSampleOf4GiBIsTooLarge() {
        long size = 5L << 30;
        var scan = new TarScan(OWNER, size + 1536);
        scan.take(ByteBuffer.wrap(header("large.bin", size)));
        var piece = ByteBuffer.allocate(64 << 20);
        for (long left = size; left > 0; left -= piece.limit()) {
            scan.take(piece.clear());
        }
        assertThatThrownBy(() -> scan.take(ByteBuffer.wrap(new byte[1024])))
                .isInstanceOf(StoreException.SampleTooLarge.class)
                .hasMessageContaining("at byte 0");
    }

    @Test
    void anIndexFindsMembersByName() {
        var tar = new ByteArrayOutputStream();
        var names = new String[] {"b.txt", "a.txt", "c/x.png", "a.cls", "b.txt"};
        for (var name : names) {
            tar.writeBytes(header(name, 1));
            tar.writeBytes(Arrays.copyOf(new byte[] {1}, 512));
        }
        var file = joined(scan(tar.toByteArray(), new Random(1)).file());
        int begin = ShardIndex.HEAD
                + OWNER.key().length()
                + file.getInt(4 * Long.BYTES) * ShardSamples.ENTRY
                + Integer.BYTES;
        var members = file.slice(begin, names.length * ShardIndex.MEMBER);
        var text = file.slice(begin + members.limit(), file.getInt(4 * Long.BYTES + 2 * Integer.BYTES));
        var sorted = Stream.iterate(0, i -> i + 1)
                .limit(names.length)
                .map(i -> name(members, text, members.getInt(i * ShardIndex.MEMBER + 20)))
                .toList();
        assertThat(sorted).containsExactly("a.cls", "a.txt", "b.txt", "b.txt", "c/x.png");
        assertThat(members.getLong(0)).isEqualTo(512);
        assertThat(members.getLong(8)).isEqualTo(1);
        assertThat(members.getInt(2 * ShardIndex.MEMBER + 20))
                .as("the first of two")
                .isZero();
    }

    static ByteBuffer joined(List<ByteBuffer> parts) {
        var all = ByteBuffer.allocate(
                parts.stream().mapToInt(ByteBuffer::remaining).sum());
        parts.forEach(all::put);
        return all.flip();
    }

    private static String name(ByteBuffer members, ByteBuffer names, int member) {
        int from = member == 0 ? 0 : members.getInt((member - 1) * ShardIndex.MEMBER + 16);
        int to = members.getInt(member * ShardIndex.MEMBER + 16);
        var bytes = new byte[to - from];
        names.get(from, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Test
    void anIndexTakesAtMost24BytesAMemberBesideItsName() {
        var tar = new ByteArrayOutputStream();
        int names = 0;
        for (int i = 0; i < 10_000; i++) {
            var name = "%06d.txt".formatted(i);
            names += name.length();
            tar.writeBytes(header(name, 0));
        }
        int samples = 10_000 * ShardSamples.ENTRY;
        assertThat(joined(scan(tar.toByteArray(), new Random(1)).file()).remaining())
                .isLessThanOrEqualTo(10_000 * 24 + names + samples + 128);
    }

    private static byte[] header(String name, long size) {
        var block = new byte[512];
        put(block, 0, name);
        put(block, 124, "%011o".formatted(size));
        block[156] = '0';
        Arrays.fill(block, 148, 156, (byte) ' ');
        int sum = 0;
        for (byte each : block) {
            sum += each & 0xff;
        }
        put(block, 148, "%06o\0 ".formatted(sum));
        return block;
    }

    private static void put(byte[] block, int at, String text) {
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        System.arraycopy(bytes, 0, block, at, bytes.length);
    }
}
