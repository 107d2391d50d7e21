package dev.sluice.targetnode.storage.record;

import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.checksum.ChecksumAlgorithm;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;

/// What lies on a drive beside a part's bytes, so that an index rebuilt has it again: all of a [Part] but the sums
/// of its blocks, which come from the bytes and are compared with their digest. So it always fits an attribute.
///
/// @param version of two records of one number the one with the larger counts
/// @param digest the CRC32C of all its bytes
public record PartRecord(
        String uploadId,
        ObjectVersion version,
        int number,
        long size,
        String etag,
        Map<ChecksumAlgorithm, String> checksums,
        long modifiedMillis,
        String file,
        long offset,
        long digest) {
    private static final int FORMAT = 1;

    public static PartRecord of(String uploadId, ObjectVersion version, Part part) {
        return new PartRecord(
                uploadId,
                version,
                part.number(),
                part.size(),
                part.etag(),
                part.checksums(),
                part.modifiedMillis(),
                part.file(),
                part.offset(),
                part.blocks().crc32c(part.size()));
    }

    /// The part, when these are the sums of its bytes.
    public Optional<Part> provenBy(BlockSums blocks) {
        return blocks.crc32c(size) == digest
                ? Optional.of(new Part(number, size, etag, checksums, modifiedMillis, file, offset, blocks))
                : Optional.empty();
    }

    public byte[] encode() {
        return new PackedWriter(FORMAT)
                .text(uploadId)
                .version(version)
                .number(number)
                .number(size)
                .text(etag)
                .checksums(checksums)
                .number(modifiedMillis)
                .text(file)
                .number(offset)
                .number(digest)
                .sealed();
    }

    public static PartRecord decode(byte[] value) throws IOException {
        var in = new PackedReader("the record of a part", value, FORMAT);
        return new PartRecord(
                in.text(),
                in.version(),
                (int) in.number(),
                in.number(),
                in.text(),
                in.checksums(),
                in.number(),
                in.text(),
                in.number(),
                in.number());
    }
}
