package dev.sluice.targetnode.storage.record;

import static dev.sluice.targetnode.storage.record.RecordFormat.NO_KEY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.checksum.BlockSummer;
import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.erasure.ErasureCode;
import dev.sluice.testing.Bytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class RecordFormatTest {
    private static final RecordFormat.DetailsSource NONE = _ -> new byte[0];
    private static final Path GOLDEN = Path.of("src/test/resources/records");

    private static final FromParts PARTS = parts(List.of(), Optional.empty());

    private static FromParts parts(List<Integer> numbers, Optional<FromParts.Checksums> checksums) {
        return new FromParts("00112233445566778899aabbccddeeff", List.of(5L << 20, 17L), numbers, checksums);
    }

    private static FromParts anyParts(Random random) {
        var algorithm = oneOf(random, List.of(ChecksumAlgorithm.values()));
        var checksums =
                new FromParts.Checksums(algorithm, base64(random, algorithm.size()) + base64(random, algorithm.size()));
        return parts(
                oneOf(random, List.of(List.of(), List.of(2, 10_000))),
                random.nextBoolean() ? Optional.of(checksums) : Optional.empty());
    }

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
                Optional.of(PARTS),
                Optional.of("generation-9"),
                BlockSums.of(sums),
                Optional.empty(),
                BlockSums.of());
    }

    @Test
    void aRecordIsReadAsItWasWritten() throws IOException {
        for (var record : List.of(record(0, 0), record(3, 10), record(3, 2500), record(3, 5000), record(5000, 0))) {
            assertIsReadAsItWasWritten(record);
        }
    }

    private static void assertIsReadAsItWasWritten(ObjectRecord record) throws IOException {
        var stored = RecordFormat.encode(record);
        assertThat(stored.attribute().length).isLessThanOrEqualTo(RecordFormat.INLINE_LIMIT);
        assertThat(RecordFormat.decode(
                        stored.attribute(), NO_KEY, _ -> stored.details().orElseThrow()))
                .isEqualTo(record);
        var brief = RecordFormat.atItsPath(record);
        if (brief.isPresent()) {
            assertThat(stored.details()).isEmpty();
            assertThat(RecordFormat.decode(brief.get(), record.key(), NONE)).isEqualTo(record);
            assertThat(RecordFormat.anywhere(brief.get(), record.key())).isEqualTo(stored.attribute());
        }
    }

    private static <T> T oneOf(Random random, List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    private static String base64(Random random, int length) {
        var bytes = new byte[length];
        random.nextBytes(bytes);
        return Base64.getEncoder().encodeToString(bytes);
    }

    private static ObjectRecord anyRecord(Random random) {
        long size = oneOf(random, List.of(0L, 1L, 4096L, 1L << 20, (1L << 20) + 1, random.nextLong(1L << 31)));
        var blocks = BlockSums.of(random.ints(BlockSums.blocksOf(size)).toArray());
        var checksums = new EnumMap<ChecksumAlgorithm, String>(ChecksumAlgorithm.class);
        for (var algorithm : ChecksumAlgorithm.values()) {
            if (random.nextInt(3) == 0) {
                checksums.put(
                        algorithm,
                        oneOf(random, List.of(base64(random, 4), base64(random, 8), "AAAAAA==-3", "", "no base64")));
            }
        }
        if (random.nextBoolean()) {
            checksums.put(ChecksumAlgorithm.CRC32C, blocks.crc32cBase64(size));
        }
        var headers = new TreeMap<String, String>();
        if (random.nextBoolean()) {
            headers.put("Content-Type", oneOf(random, List.of("image/jpeg", "video/mp4", "x/y", "")));
        }
        if (random.nextInt(4) == 0) {
            headers.put("Cache-Control", "no-store");
        }
        var md5 = HexFormat.of().formatHex(Base64.getDecoder().decode(base64(random, 16)));
        var etag = oneOf(random, List.of(md5, md5.toUpperCase(Locale.ROOT), md5 + "-2", "", "0x8D"));
        long modified = oneOf(random, List.of(0L, 1_795_247_577_280L, random.nextLong()));
        var slice = random.nextInt(3) == 0 ? Optional.of(anySlice(random)) : Optional.<SliceOf>empty();
        int parity = slice.map(of -> of.paritySums(size)).orElse(0);
        return new ObjectRecord(
                random.nextLong(1, 1L << 40),
                oneOf(random, List.of("a", "train/caf\u00e9.tar", "x".repeat(1024), "a//b", "\ud83d\ude00")),
                new ObjectVersion(random.nextLong(1, 1000), random.nextLong(Long.MAX_VALUE)),
                size,
                modified + oneOf(random, List.of(0L, -3L, 70L, random.nextLong())),
                modified,
                etag,
                checksums,
                headers,
                random.nextInt(4) == 0
                        ? new TreeMap<>(Map.of("owner", "x".repeat(random.nextInt(4000))))
                        : new TreeMap<>(),
                random.nextInt(3) == 0 ? Optional.of(anyParts(random)) : Optional.empty(),
                oneOf(random, List.of(Optional.empty(), Optional.of(etag), Optional.of("generation-9"))),
                blocks,
                slice,
                BlockSums.of(random.ints(parity).toArray()));
    }

    private static SliceOf anySlice(Random random) {
        var code = new ErasureCode(2 + random.nextInt(19), 1 + random.nextInt(4));
        return new SliceOf(code, random.nextInt(code.slices() + 1) - 1);
    }

    @Test
    void anyRecordIsReadAsItWasWritten() throws IOException {
        for (int seed = 0; seed < 5_000; seed++) {
            assertIsReadAsItWasWritten(anyRecord(new Random(seed)));
        }
    }

    private static ObjectRecord ofClient(
            ChecksumAlgorithm algorithm, int checksumLength, SortedMap<String, String> headers) {
        var blocks = BlockSums.of(0x6b5b9003);
        var random = new Random(1);
        return new ObjectRecord(
                127,
                "imagenet/train/n01440764/n01440764_10026.JPEG",
                new ObjectVersion(3, 0x20_0000_0002L),
                30_000,
                1_795_247_577_229L,
                1_795_247_577_280L,
                "d5816f35916d1d9482fb0f1ec201101d",
                Map.of(
                        algorithm,
                        base64(random, checksumLength),
                        ChecksumAlgorithm.CRC32C,
                        blocks.crc32cBase64(30_000)),
                headers,
                new TreeMap<>(),
                Optional.empty(),
                Optional.of("d5816f35916d1d9482fb0f1ec201101d"),
                blocks,
                Optional.empty(),
                BlockSums.of());
    }

    /// Else the file system needs a block for it. With what clients send by themselves.
    @Test
    void theRecordOfASmallObjectAtItsPathLiesInTheInode() {
        var typed = new TreeMap<>(Map.of("Content-Type", "application/octet-stream"));
        for (var record : List.of(
                ofClient(ChecksumAlgorithm.CRC32, 4, new TreeMap<>()),
                ofClient(ChecksumAlgorithm.CRC32, 4, typed),
                ofClient(ChecksumAlgorithm.CRC64NVME, 8, typed))) {
            assertThat(RecordFormat.atItsPath(record).orElseThrow().length).isLessThanOrEqualTo(64);
        }
    }

    @Test
    void aRecordAtAnotherKeysPathIsNotThatKeys() throws IOException {
        var attribute = RecordFormat.atItsPath(record(3, 10)).orElseThrow();
        assertThat(RecordFormat.head(attribute, "train/other.tar").key()).isEmpty();
        assertThat(RecordFormat.head(attribute, NO_KEY).key()).isEmpty();
        var anywhere = RecordFormat.encode(record(3, 10)).attribute();
        assertThat(RecordFormat.head(anywhere, "train/other.tar").key())
                .isEqualTo(record(3, 10).key());
    }

    private static byte[] golden(String name) throws IOException {
        return HexFormat.of()
                .parseHex(Files.readString(GOLDEN.resolve(name + ".hex")).strip());
    }

    @Test
    void recordsAreWrittenAsTheFormatSays() throws IOException {
        assertThat(RecordFormat.encode(record(3, 10)).attribute()).isEqualTo(golden("record-5-inline"));
        assertThat(RecordFormat.atItsPath(record(3, 10)).orElseThrow()).isEqualTo(golden("record-5-at-its-path"));
        var apart = RecordFormat.encode(record(900, 10));
        assertThat(apart.attribute()).isEqualTo(golden("record-5-apart"));
        assertThat(apart.details().orElseThrow()).isEqualTo(golden("details-5"));
        assertThat(RecordFormat.encode(inSlices(ErasureCode.parse("4+2"), 7, 5)).attribute())
                .isEqualTo(golden("record-5-slice"));
    }

    private static ObjectRecord inSlices(ErasureCode code, int blocks, int position) {
        var slice = new SliceOf(code, position);
        long size = (blocks - 1L) * BlockSums.BLOCK + 17;
        var sums = BlockSums.of(IntStream.range(0, blocks).toArray());
        var parity = BlockSums.of(
                IntStream.range(1000, 1000 + slice.paritySums(size)).toArray());
        return new ObjectRecord(
                42,
                "k",
                new ObjectVersion(3, 7),
                size,
                0,
                0,
                "etag",
                Map.of(),
                new TreeMap<>(),
                new TreeMap<>(),
                Optional.empty(),
                Optional.empty(),
                sums,
                Optional.of(slice),
                parity);
    }

    /// 3+2, seven blocks: 0 1 2, 3 4 5, 6 with two parity cells each.
    @Test
    void fileOfASliceIsVerifiedByTheSumsOfItsCells() throws IOException {
        var record = inSlices(new ErasureCode(3, 2), 7, 0);
        assertIsReadAsItWasWritten(record);
        assertThat(record.fileSums()).isEqualTo(BlockSums.of(0, 3, 6));
        assertThat(record.fileSize()).isEqualTo(2L * BlockSums.BLOCK + 17);
        assertThat(record.at(2).fileSums()).isEqualTo(BlockSums.of(2, 5));
        assertThat(record.at(2).fileSize()).isEqualTo(2L * BlockSums.BLOCK);
        assertThat(record.at(3).fileSums()).isEqualTo(BlockSums.of(1000, 1002, 1004));
        assertThat(record.at(4).fileSums()).isEqualTo(BlockSums.of(1001, 1003, 1005));
        assertThat(record.at(4).fileSize()).isEqualTo(2L * BlockSums.BLOCK + 17);
        var none = record.at(Slice.NONE);
        assertIsReadAsItWasWritten(none);
        assertThat(none.fileSize()).isZero();
        assertThat(none.fileSums()).isEqualTo(BlockSums.of());
        assertThat(record(3, 0).fileSize()).isEqualTo(record(3, 0).size());
        assertThat(record(3, 0).fileSums()).isEqualTo(record(3, 0).blocks());
        assertThat(RecordFormat.head(RecordFormat.encode(record.at(3)).attribute(), NO_KEY)
                        .fileSize())
                .isEqualTo(2L * BlockSums.BLOCK + 17);
    }

    @Test
    void sliceThatNoCodeHasIsDamage() {
        assertThatThrownBy(() -> new SliceOf(new ErasureCode(3, 2), 5)).isInstanceOf(IllegalArgumentException.class);
        var stored = RecordFormat.encode(inSlices(new ErasureCode(3, 2), 7, 4)).attribute();
        int at = 0;
        while (!(stored[at] == 3 && stored[at + 1] == 2 && stored[at + 2] == 5)) {
            at++;
        }
        for (int wrong : List.of(0, 1, 2)) {
            var other = stored.clone();
            other[at + wrong] = 6;
            other[at] = wrong == 0 ? 1 : other[at];
            assertThatThrownBy(() -> RecordFormat.head(sealed(other), NO_KEY))
                    .isInstanceOf(DamagedRecordException.class)
                    .hasMessageContaining("names no slice");
        }
    }

    private static byte[] sealed(byte[] attribute) {
        var crc = new CRC32C();
        crc.update(attribute, 0, attribute.length - 4);
        ByteBuffer.wrap(attribute).putInt(attribute.length - 4, (int) crc.getValue());
        return attribute;
    }

    @Test
    void noDamagedByteIsOverlooked() {
        noDamagedByteIsOverlooked(RecordFormat.encode(record(3, 10)).attribute());
        noDamagedByteIsOverlooked(RecordFormat.atItsPath(record(3, 10)).orElseThrow());
    }

    private static void noDamagedByteIsOverlooked(byte[] stored) {
        for (int i = 0; i < stored.length; i++) {
            var damaged = stored.clone();
            damaged[i] = (byte) (damaged[i] ^ 1 << i % 8);
            assertThatThrownBy(() -> RecordFormat.head(damaged, NO_KEY))
                    .as("byte %d", i)
                    .isInstanceOf(DamagedRecordException.class);
            var cut = java.util.Arrays.copyOf(stored, i);
            assertThatThrownBy(() -> RecordFormat.head(cut, NO_KEY)).isInstanceOf(DamagedRecordException.class);
        }
    }

    @Test
    void anotherVersionsDetailsAreRefused() {
        var stored = RecordFormat.encode(record(900, 10));
        var other = RecordFormat.encode(record(900, 11));
        assertThatThrownBy(() -> RecordFormat.decode(
                        stored.attribute(), NO_KEY, _ -> other.details().orElseThrow()))
                .isInstanceOf(DamagedRecordException.class);
    }

    @Test
    void anotherFormatIsRefusedByName() {
        var newer = RecordFormat.encode(record(3, 10)).attribute();
        newer[0] = 6;
        assertThatThrownBy(() -> RecordFormat.head(sealed(newer), NO_KEY))
                .isInstanceOf(UnknownFormatException.class)
                .hasMessageContaining("format 6");
    }

    @Test
    void blocksAreSummedInWhateverPiecesTheyCome() {
        var content = Bytes.random(2, 3 * BlockSums.BLOCK + 12345);
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
