package dev.sluice.common.erasure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.checksum.BlockSummer;
import dev.sluice.common.checksum.BlockSums;
import dev.sluice.testing.Bytes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SliceEncoderTest {
    private static final int BLOCK = BlockSums.BLOCK;
    private static final Path GOLDEN = Path.of("src/test/resources/erasure/slices.txt");

    private static final class Written implements SliceEncoder.Slices {
        private final List<ByteArrayOutputStream> slices = new ArrayList<>();

        Written(ErasureCode code) {
            for (int i = 0; i < code.slices(); i++) {
                slices.add(new ByteArrayOutputStream());
            }
        }

        @Override
        public void write(int position, long offset, ByteBuffer bytes) {
            assertThat(offset).isEqualTo(slices.get(position).size());
            var some = new byte[bytes.remaining()];
            bytes.get(some);
            slices.get(position).writeBytes(some);
        }

        byte[] slice(int position) {
            return slices.get(position).toByteArray();
        }
    }

    private static SliceEncoder encoded(ErasureCode code, byte[] object, Written written, Random random)
            throws IOException {
        var encoder = new SliceEncoder(code);
        for (int at = 0; at < object.length; ) {
            int count = Math.min(object.length - at, 1 + random.nextInt(3 * BLOCK / 2));
            encoder.add(ByteBuffer.wrap(object, at, count), written);
            at += count;
        }
        encoder.end(written);
        return encoder;
    }

    @ParameterizedTest
    @CsvSource({"2+1", "3+2", "4+2", "5+4"})
    void anyDataSlicesMakeTheObject(String text) throws IOException {
        var code = ErasureCode.parse(text);
        var random = new Random(46);
        for (int size : List.of(0, 1, 70_000, BLOCK, BLOCK + 1, 3 * BLOCK - 5, 4 * BLOCK, 7 * BLOCK + 11)) {
            var object = Bytes.random(size, size);
            var written = new Written(code);
            var encoder = encoded(code, object, written, random);
            var layout = new SliceLayout(code, size);
            for (int position = 0; position < code.slices(); position++) {
                assertThat(written.slice(position)).hasSize((int) layout.sliceSize(position));
            }
            requireSums(layout, encoder.paritySums(), written);
            for (int round = 0; round < 4; round++) {
                var there = new ArrayList<>(
                        IntStream.range(0, code.slices()).boxed().toList());
                Collections.shuffle(there, random);
                assertThat(Arrays.equals(decoded(layout, written, there), object))
                        .as("%d bytes from %s", size, there)
                        .isTrue();
            }
        }
    }

    /// What another implementation of the format made.
    @Test
    void slicesAreWrittenAsTheFormatSays() throws IOException, NoSuchAlgorithmException {
        var sha256 = MessageDigest.getInstance("SHA-256");
        for (var line : Files.readAllLines(GOLDEN)) {
            if (line.startsWith("#")) {
                continue;
            }
            var field = line.split(" ");
            var object = new byte[Integer.parseInt(field[1])];
            for (int k = 0; k < object.length; k++) {
                object[k] = (byte) (167 * k + 13 * (k / 251));
            }
            var code = ErasureCode.parse(field[0]);
            var written = new Written(code);
            var _ = encoded(code, object, written, new Random(46));
            var slice = written.slice(Integer.parseInt(field[2]));
            assertThat("%d %s".formatted(slice.length, HexFormat.of().formatHex(sha256.digest(slice))))
                    .as(line)
                    .isEqualTo(field[3] + " " + field[4]);
        }
    }

    private static void requireSums(SliceLayout layout, BlockSums sums, Written written) {
        var code = layout.code();
        for (int j = 0; j < code.parity(); j++) {
            var slice = written.slice(code.data() + j);
            var summer = new BlockSummer();
            summer.update(0, ByteBuffer.wrap(slice));
            var own = summer.finish(slice.length);
            for (int stripe = 0; stripe < layout.stripes(); stripe++) {
                assertThat(sums.get(stripe * code.parity() + j)).isEqualTo(own.get(stripe));
            }
        }
        assertThat(sums.count()).isEqualTo(layout.stripes() * code.parity());
    }

    /// From as many of these positions as are needed, the first ones.
    private static byte[] decoded(SliceLayout layout, Written written, List<Integer> there) {
        var object = new byte[(int) layout.size()];
        for (int block = 0; block < BlockSums.blocksOf(layout.size()); block++) {
            int stripe = (int) layout.code().stripe(block);
            int position = layout.code().position(block);
            var decoder = StripeDecoder.of(layout, stripe, there, List.of(position));
            var from = decoder.from().stream()
                    .map(each -> ByteBuffer.wrap(
                            written.slice(each), (int) layout.cellOffset(stripe), layout.cellLength(stripe, each)))
                    .toList();
            int length = layout.cellLength(stripe, position);
            decoder.decode(from, List.of(ByteBuffer.wrap(object, block * BLOCK, length)));
        }
        return object;
    }

    @Test
    void sumsOfAnObjectOfOneBlockAreKnownWithoutItsSlices() throws IOException {
        var code = ErasureCode.parse("4+2");
        for (int size : List.of(0, 1, 65_536, BLOCK)) {
            var object = Bytes.random(size, size);
            var summer = new BlockSummer();
            summer.update(0, ByteBuffer.wrap(object));
            assertThat(SliceEncoder.paritySums(code, summer.finish(size)))
                    .isEqualTo(encoded(code, object, new Written(code), new Random(1))
                            .paritySums());
        }
    }
}
