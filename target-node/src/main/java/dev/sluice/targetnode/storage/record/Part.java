package dev.sluice.targetnode.storage.record;

import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.checksum.ChecksumAlgorithm;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

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
    public static final String SHARED = "data";

    private static final String APART = "part-";
    private static final String IN_PLACE = "place-";
    private static final Pattern NUMBER = Pattern.compile("(?:" + APART + "|" + IN_PLACE + ")([0-9]{1,5})(?:-.*)?");

    private static final int FORMAT = 1;

    /// The name of a file for one that has no place in the shared file.
    public static String apart(int number, ObjectVersion version) {
        return APART + number + "-" + version.id();
    }

    /// The file that has the record of a part: its own, or an empty one for a part in the shared file.
    public static String recordFile(int number, String file) {
        return file.equals(SHARED) ? IN_PLACE + number : file;
    }

    /// Of the part that a file has the record of, by its name; empty for another file.
    public static Optional<Integer> numberOf(String file) {
        var number = NUMBER.matcher(file);
        return number.matches() ? Optional.of(Integer.valueOf(number.group(1))) : Optional.empty();
    }

    public boolean isInPlace() {
        return file.equals(SHARED);
    }

    public String recordFile() {
        return recordFile(number, file);
    }

    public byte[] encode() {
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

    public static Part decode(byte[] value) throws IOException {
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
