package dev.sluice.targetnode.storage.record;

import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.checksum.ChecksumAlgorithm;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// What a record has beside its head. Flags say what there is, so that what most objects do not have takes no room.
public record Details(
        Map<ChecksumAlgorithm, String> checksums,
        SortedMap<String, String> headers,
        SortedMap<String, String> userMetadata,
        Optional<FromParts> parts,
        Optional<String> backendVersion,
        BlockSums blocks,
        BlockSums parity) {
    /// The bit of the one at `i` is `1 << i`. On drives: never to be changed.
    private static final List<ChecksumAlgorithm> ALGORITHMS = List.of(
            ChecksumAlgorithm.CRC32,
            ChecksumAlgorithm.CRC32C,
            ChecksumAlgorithm.CRC64NVME,
            ChecksumAlgorithm.SHA1,
            ChecksumAlgorithm.SHA256);

    private static final int[] LENGTHS = {4, 4, 8, 20, 32};
    private static final int CRC32C_OF_BLOCKS = 1 << 5;
    private static final int KNOWN_TYPE = 1 << 6;
    private static final int CHECKSUM_TEXTS = 1 << 7;
    private static final int HEADERS = 1 << 8;
    private static final int USER_METADATA = 1 << 9;
    private static final int PARTS = 1 << 10;
    private static final int BACKEND_VERSION = 1 << 11;
    private static final int BACKEND_HAS_ETAG = 1 << 12;
    private static final int PART_NUMBERS = 1 << 13;
    private static final int PART_CHECKSUMS = 1 << 14;

    private static final int UPLOAD_ID = 16; // bytes
    private static final HexFormat HEX = HexFormat.of();

    private static final String CONTENT_TYPE = "Content-Type";

    /// What clients send by themselves, and kinds of files that many objects are. On drives: only to be appended to.
    private static final List<String> TYPES = List.of(
            "application/octet-stream",
            "binary/octet-stream",
            "application/x-tar",
            "image/jpeg",
            "image/png",
            "text/plain",
            "application/json",
            "application/x-www-form-urlencoded",
            "audio/flac",
            "audio/x-wav",
            "video/mp4");

    static void write(PackedWriter out, ObjectRecord record) {
        int flags = 0;
        var raw = new ArrayList<byte[]>();
        var texts = new EnumMap<ChecksumAlgorithm, String>(ChecksumAlgorithm.class);
        texts.putAll(record.checksums());
        if (texts.containsKey(ChecksumAlgorithm.CRC32C)
                && record.blocks().crc32cBase64(record.size()).equals(texts.get(ChecksumAlgorithm.CRC32C))) {
            flags |= CRC32C_OF_BLOCKS;
            texts.remove(ChecksumAlgorithm.CRC32C);
        }
        for (int i = 0; i < LENGTHS.length; i++) {
            var bytes = raw(texts.getOrDefault(ALGORITHMS.get(i), ""), LENGTHS[i]);
            if (bytes.isPresent()) {
                flags |= 1 << i;
                raw.add(bytes.get());
                texts.remove(ALGORITHMS.get(i));
            }
        }
        var others = new TreeMap<>(record.headers());
        int type = TYPES.indexOf(others.getOrDefault(CONTENT_TYPE, ""));
        if (type >= 0) {
            others.remove(CONTENT_TYPE);
        }
        var backendVersion = record.backendVersion();
        boolean hasEtag = backendVersion.filter(record.etag()::equals).isPresent();
        flags |= flag(KNOWN_TYPE, type >= 0)
                | flag(CHECKSUM_TEXTS, !texts.isEmpty())
                | flag(HEADERS, !others.isEmpty())
                | flag(USER_METADATA, !record.userMetadata().isEmpty())
                | flag(PARTS, record.parts().isPresent())
                | flag(
                        PART_NUMBERS,
                        record.parts()
                                .filter(parts -> !parts.numbers().isEmpty())
                                .isPresent())
                | flag(
                        PART_CHECKSUMS,
                        record.parts().flatMap(FromParts::checksums).isPresent())
                | flag(BACKEND_VERSION, backendVersion.isPresent() && !hasEtag)
                | flag(BACKEND_HAS_ETAG, hasEtag);
        out.number(flags);
        raw.forEach(out::raw);
        if (type >= 0) {
            out.number(type);
        }
        if (!texts.isEmpty()) {
            out.checksums(texts);
        }
        if (!others.isEmpty()) {
            out.texts(others);
        }
        if (!record.userMetadata().isEmpty()) {
            out.texts(record.userMetadata());
        }
        record.parts().ifPresent(parts -> write(out, parts));
        if (backendVersion.isPresent() && !hasEtag) {
            out.text(backendVersion.get());
        }
        out.raw(record.blocks().toBytes()).raw(record.parity().toBytes());
    }

    private static void write(PackedWriter out, FromParts parts) {
        out.raw(HEX.parseHex(parts.uploadId()))
                .numbers(parts.sizes().stream().mapToLong(Long::longValue).toArray());
        if (!parts.numbers().isEmpty()) {
            out.numbers(parts.numbers().stream().mapToLong(Integer::longValue).toArray());
        }
        parts.checksums().ifPresent(checksums -> {
            out.text(checksums.algorithm().name());
            for (int i = 0; i < parts.count(); i++) {
                out.raw(Base64.getDecoder().decode(checksums.of(i)));
            }
        });
    }

    private static int flag(int bit, boolean isSet) {
        return isSet ? bit : 0;
    }

    /// The bytes of a checksum as S3 writes it; that of a multipart upload may have a suffix.
    private static Optional<byte[]> raw(String base64, int length) {
        try {
            var bytes = Base64.getDecoder().decode(base64);
            return bytes.length == length
                            && Base64.getEncoder().encodeToString(bytes).equals(base64)
                    ? Optional.of(bytes)
                    : Optional.empty();
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
    }

    /// @param slice which one of the object the file has, if not all
    static Details read(PackedReader in, long size, String etag, Optional<SliceOf> slice)
            throws DamagedRecordException {
        long flags = in.number();
        var checksums = new EnumMap<ChecksumAlgorithm, String>(ChecksumAlgorithm.class);
        for (int i = 0; i < LENGTHS.length; i++) {
            if ((flags & 1L << i) != 0) {
                checksums.put(ALGORITHMS.get(i), Base64.getEncoder().encodeToString(in.raw(LENGTHS[i])));
            }
        }
        Optional<String> type = (flags & KNOWN_TYPE) == 0 ? Optional.empty() : Optional.of(type(in));
        if ((flags & CHECKSUM_TEXTS) != 0) {
            checksums.putAll(in.checksums());
        }
        var headers = new TreeMap<String, String>((flags & HEADERS) == 0 ? new TreeMap<>() : in.texts());
        type.ifPresent(value -> headers.put(CONTENT_TYPE, value));
        var userMetadata = (flags & USER_METADATA) == 0 ? new TreeMap<String, String>() : in.texts();
        Optional<FromParts> parts = (flags & PARTS) == 0 ? Optional.empty() : Optional.of(parts(in, flags));
        Optional<String> backendVersion = Optional.empty();
        if ((flags & BACKEND_VERSION) != 0) {
            backendVersion = Optional.of(in.text());
        } else if ((flags & BACKEND_HAS_ETAG) != 0) {
            backendVersion = Optional.of(etag);
        }
        var blocks = BlockSums.ofBytes(in.raw(4 * BlockSums.blocksOf(size)));
        var parity = BlockSums.ofBytes(
                in.raw(4 * slice.map(of -> of.paritySums(size)).orElse(0)));
        if ((flags & CRC32C_OF_BLOCKS) != 0) {
            checksums.put(ChecksumAlgorithm.CRC32C, blocks.crc32cBase64(size));
        }
        return new Details(checksums, headers, userMetadata, parts, backendVersion, blocks, parity);
    }

    private static String type(PackedReader in) throws DamagedRecordException {
        long type = in.number();
        if (type >= TYPES.size()) {
            throw new DamagedRecordException("a record names the content type " + type);
        }
        return TYPES.get((int) type);
    }

    private static FromParts parts(PackedReader in, long flags) throws DamagedRecordException {
        var uploadId = HEX.formatHex(in.raw(UPLOAD_ID));
        var sizes = Arrays.stream(in.numbers()).boxed().toList();
        var numbers = (flags & PART_NUMBERS) == 0
                ? List.<Integer>of()
                : Arrays.stream(in.numbers()).mapToObj(Math::toIntExact).toList();
        Optional<FromParts.Checksums> checksums =
                (flags & PART_CHECKSUMS) == 0 ? Optional.empty() : Optional.of(checksums(in, sizes.size()));
        try {
            return new FromParts(uploadId, sizes, numbers, checksums);
        } catch (IllegalArgumentException wrong) {
            throw new DamagedRecordException("a record has " + wrong.getMessage());
        }
    }

    private static FromParts.Checksums checksums(PackedReader in, int count) throws DamagedRecordException {
        var name = in.text();
        var algorithm = ChecksumAlgorithm.ofName(name)
                .orElseThrow(() -> new DamagedRecordException("a record has checksums by " + name));
        var values = new StringBuilder();
        for (int i = 0; i < count; i++) {
            values.append(Base64.getEncoder().encodeToString(in.raw(algorithm.size())));
        }
        return new FromParts.Checksums(algorithm, values.toString());
    }
}
