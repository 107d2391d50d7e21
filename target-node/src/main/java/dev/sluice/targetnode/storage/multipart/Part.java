package dev.sluice.targetnode.storage.multipart;

import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.targetnode.storage.record.PackedReader;
import dev.sluice.targetnode.storage.record.PackedWriter;
import java.io.IOException;
import java.util.Map;

/// A part that was uploaded.
///
/// @param file its bytes are in, below the upload's folder
/// @param offset of its bytes in that file
/// @param blocks sums of its own blocks, counted from its start
public record Part(
        int number,
        long size,
        String etag,
        Map<ChecksumAlgorithm, String> checksums,
        long modifiedMillis,
        String file,
        long offset,
        BlockSums blocks) {
    /// The file that parts of equal size share, each at the place it will have in the object.
    static final String SHARED = "data";

    private static final int FORMAT = 1;

    boolean isInPlace() {
        return file.equals(SHARED);
    }

    byte[] encode() {
        return new PackedWriter(FORMAT)
                .number(number)
                .number(size)
                .text(etag)
                .checksums(checksums)
                .number(modifiedMillis)
                .text(file)
                .number(offset)
                .sums(blocks)
                .sealed();
    }

    static Part decode(byte[] value) throws IOException {
        var in = new PackedReader("a part", value, FORMAT);
        return new Part(
                (int) in.number(),
                in.number(),
                in.text(),
                in.checksums(),
                in.number(),
                in.text(),
                in.number(),
                in.sums());
    }
}
