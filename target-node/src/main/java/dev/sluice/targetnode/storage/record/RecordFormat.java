package dev.sluice.targetnode.storage.record;

import dev.sluice.common.checksum.BlockSums;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.CRC32C;

/// How a record is written: all of it in the file's extended attribute while that stays within 3 KiB (ext4 fails
/// above some 4,000 bytes), else its details in a file of their own, named by the version, whose digest the
/// attribute holds.
public final class RecordFormat {
    public static final int INLINE_LIMIT = 3 << 10;
    private static final int FORMAT = 1;
    private static final String ATTRIBUTE = "the record of an object";
    private static final String DETAILS = "the details of an object";

    /// A record as bytes: the attribute, and details that did not fit, to be synced before the attribute counts.
    public static final class Stored {
        private final byte[] attribute;
        private final Optional<byte[]> details;

        Stored(byte[] attribute, Optional<byte[]> details) {
            this.attribute = attribute;
            this.details = details;
        }

        public byte[] attribute() {
            return attribute;
        }

        public Optional<byte[]> details() {
            return details;
        }
    }

    /// What the attribute alone says, before the details are at hand.
    ///
    /// @param inline the details when they fit
    public record Head(
            long bucketId,
            String key,
            ObjectVersion version,
            long size,
            long createdMillis,
            long modifiedMillis,
            String etag,
            Optional<byte[]> inline,
            int detailsDigest) {}

    /// Where details that did not fit are read from.
    public interface DetailsSource {
        byte[] read(ObjectVersion version) throws IOException;
    }

    private RecordFormat() {}

    public static Stored encode(ObjectRecord record) {
        var details = details(record);
        var whole = attribute(record, details, true);
        return whole.length <= INLINE_LIMIT
                ? new Stored(whole, Optional.empty())
                : new Stored(attribute(record, details, false), Optional.of(details));
    }

    private static byte[] attribute(ObjectRecord record, byte[] details, boolean inline) {
        var out = new PackedWriter(FORMAT)
                .number(record.bucketId())
                .text(record.key())
                .version(record.version())
                .number(record.size())
                .number(record.createdMillis())
                .number(record.modifiedMillis())
                .text(record.etag())
                .flag(inline);
        return (inline ? out.bytes(details) : out.number(digest(details))).sealed();
    }

    private static byte[] details(ObjectRecord record) {
        return new PackedWriter(FORMAT)
                .checksums(record.checksums())
                .texts(record.headers())
                .texts(record.userMetadata())
                .numbers(record.partSizes().stream().mapToLong(Long::longValue).toArray())
                .text(record.backendVersion())
                .sums(record.blocks())
                .sealed();
    }

    private static int digest(byte[] bytes) {
        var crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    public static Head head(byte[] attribute) throws DamagedRecordException, UnknownFormatException {
        var in = new PackedReader(ATTRIBUTE, attribute, FORMAT);
        long bucketId = in.number();
        var key = in.text();
        var version = in.version();
        long size = in.number();
        long created = in.number();
        long modified = in.number();
        var etag = in.text();
        boolean inline = in.flag();
        return new Head(
                bucketId,
                key,
                version,
                size,
                created,
                modified,
                etag,
                inline ? Optional.of(in.bytes()) : Optional.empty(),
                inline ? 0 : (int) in.number());
    }

    public static ObjectRecord decode(byte[] attribute, DetailsSource source) throws IOException {
        return complete(head(attribute), source);
    }

    public static ObjectRecord complete(Head head, DetailsSource source) throws IOException {
        var details = head.inline.isPresent() ? head.inline.get() : source.read(head.version);
        if (head.inline.isEmpty() && digest(details) != head.detailsDigest) {
            throw new DamagedRecordException(DETAILS + " are another version's");
        }
        var in = new PackedReader(DETAILS, details, FORMAT);
        var checksums = in.checksums();
        var headers = in.texts();
        var userMetadata = in.texts();
        var partSizes = Arrays.stream(in.numbers()).boxed().toList();
        var backendVersion = in.optionalText();
        var blocks = in.sums();
        if (blocks.count() != BlockSums.blocksOf(head.size)) {
            throw new DamagedRecordException(DETAILS + " are of an object of another size");
        }
        return new ObjectRecord(
                head.bucketId,
                head.key,
                head.version,
                head.size,
                head.createdMillis,
                head.modifiedMillis,
                head.etag,
                checksums,
                headers,
                userMetadata,
                partSizes,
                backendVersion,
                blocks);
    }
}
