package dev.sluice.targetnode.storage.record;

import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.erasure.ErasureCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/// How a record is written: all of it in the file's extended attribute while that stays within 3 KiB (ext4 fails
/// above some 4,000 bytes), else its details in a file of their own, named by the version, whose digest the
/// attribute holds.
///
/// An attribute of up to 64 bytes lies in a file's inode also on an ext4 with inodes of 256 bytes; a longer one takes a
/// block of its own, which is as much again as a small object, to be written, kept and read. So there is a short form
/// for files at their keys' own paths ([#atItsPath]), which has a digest of the key only.
public final class RecordFormat {
    public static final int INLINE_LIMIT = 3 << 10;
    private static final int FORMAT = 5;

    private static final int APART = 1;
    private static final int KEY_DIGEST = 2;
    private static final int MD5_ETAG = 4;
    private static final int SLICE = 8;
    private static final int KEY_DIGEST_LENGTH = 8;
    private static final int MD5_LENGTH = 16;
    private static final Pattern MD5 = Pattern.compile("[0-9a-f]{32}");
    private static final HexFormat HEX = HexFormat.of();
    private static final String ATTRIBUTE = "the record of an object";
    private static final String DETAILS = "the details of an object";

    /// Of a path that is not made of a key.
    public static final String NO_KEY = "";

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
    /// @param key none if the record has a digest of it only, which is not that of the path
    /// @param inline the details when they fit
    public record Head(
            long bucketId,
            String key,
            ObjectVersion version,
            long size,
            long createdMillis,
            long modifiedMillis,
            String etag,
            Optional<SliceOf> slice,
            Optional<Details> inline,
            int detailsDigest) {
        /// How many bytes the file has.
        public long fileSize() {
            return slice.map(of -> of.bytes(size)).orElse(size);
        }

        /// Whether some of the record is in a file of its own.
        public boolean isApart() {
            return inline.isEmpty();
        }
    }

    /// Where details that did not fit are read from.
    public interface DetailsSource {
        byte[] read(ObjectVersion version) throws IOException;
    }

    private RecordFormat() {}

    /// Says whose it is by itself, wherever the file is.
    public static Stored encode(ObjectRecord record) {
        var inline = inline(record, 0);
        if (inline.length <= INLINE_LIMIT) {
            return new Stored(inline, Optional.empty());
        }
        var details = new PackedWriter(FORMAT);
        Details.write(details, record);
        var bytes = details.sealed();
        return new Stored(begun(record, APART).number(digest(bytes)).sealed(), Optional.of(bytes));
    }

    /// The attribute of a file at its key's own path, without which it cannot be understood.
    ///
    /// @return empty when details do not fit the attribute that says by itself whose it is
    public static Optional<byte[]> atItsPath(ObjectRecord record) {
        var attribute = inline(record, KEY_DIGEST);
        return attribute.length + record.key().getBytes(StandardCharsets.UTF_8).length <= INLINE_LIMIT
                ? Optional.of(attribute)
                : Optional.empty();
    }

    /// The attribute that says by itself whose it is, of one that [#atItsPath] made.
    public static byte[] anywhere(byte[] atItsPath, String key) throws IOException {
        var stored = encode(decode(atItsPath, key, _ -> {
            throw new DamagedRecordException(DETAILS + " are not in it");
        }));
        return stored.attribute();
    }

    private static byte[] inline(ObjectRecord record, int keyDigest) {
        var out = begun(record, keyDigest);
        Details.write(out, record);
        return out.sealed();
    }

    private static PackedWriter begun(ObjectRecord record, int flags) {
        boolean md5 = MD5.matcher(record.etag()).matches();
        var out = new PackedWriter(FORMAT)
                .number(flags | (md5 ? MD5_ETAG : 0) | (record.slice().isPresent() ? SLICE : 0))
                .number(record.bucketId());
        ((flags & KEY_DIGEST) == 0 ? out.text(record.key()) : out.raw(keyDigest(record.key())))
                .version(record.version())
                .number(record.size())
                .number(record.modifiedMillis())
                .difference(record.modifiedMillis() - record.createdMillis());
        var headed = md5 ? out.raw(HEX.parseHex(record.etag())) : out.text(record.etag());
        record.slice()
                .ifPresent(slice -> headed.number(slice.code().data())
                        .number(slice.code().parity())
                        .number(slice.position() - Slice.NONE));
        return headed;
    }

    private static byte[] keyDigest(String key) {
        return Arrays.copyOf(KeyHash.of(key), KEY_DIGEST_LENGTH);
    }

    private static int digest(byte[] bytes) {
        var crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    /// @param keyOfPath the key that the file's path is made of, or [#NO_KEY]
    public static Head head(byte[] attribute, String keyOfPath) throws DamagedRecordException, UnknownFormatException {
        var in = reader(ATTRIBUTE, attribute);
        long flags = in.number();
        long bucketId = in.number();
        var key = (flags & KEY_DIGEST) == 0 ? in.text() : keyOf(in.raw(KEY_DIGEST_LENGTH), keyOfPath);
        var version = in.version();
        long size = in.number();
        long modified = in.number();
        long created = modified - in.difference();
        var etag = (flags & MD5_ETAG) == 0 ? in.text() : HEX.formatHex(in.raw(MD5_LENGTH));
        var slice = (flags & SLICE) == 0 ? Optional.<SliceOf>empty() : Optional.of(slice(in));
        boolean apart = (flags & APART) != 0;
        return new Head(
                bucketId,
                key,
                version,
                size,
                created,
                modified,
                etag,
                slice,
                apart ? Optional.empty() : Optional.of(Details.read(in, size, etag, slice)),
                apart ? (int) in.number() : 0);
    }

    private static SliceOf slice(PackedReader in) throws DamagedRecordException {
        try {
            var code = new ErasureCode(Math.toIntExact(in.number()), Math.toIntExact(in.number()));
            return new SliceOf(code, Math.toIntExact(in.number()) + Slice.NONE);
        } catch (ArithmeticException | IllegalArgumentException wrong) {
            throw new DamagedRecordException(ATTRIBUTE + " names no slice: " + wrong.getMessage());
        }
    }

    private static String keyOf(byte[] digest, String keyOfPath) {
        return ByteBuffer.wrap(digest).equals(ByteBuffer.wrap(keyDigest(keyOfPath))) ? keyOfPath : NO_KEY;
    }

    private static Details details(byte[] bytes, Head head) throws DamagedRecordException, UnknownFormatException {
        return Details.read(reader(DETAILS, bytes), head.size, head.etag, head.slice);
    }

    private static PackedReader reader(String what, byte[] bytes)
            throws DamagedRecordException, UnknownFormatException {
        var in = new PackedReader(what, bytes, FORMAT);
        if (in.format() != FORMAT) {
            throw new UnknownFormatException(what, in.format(), FORMAT);
        }
        return in;
    }

    /// As [#head] and [#complete] after it.
    public static ObjectRecord decode(byte[] attribute, String keyOfPath, DetailsSource source) throws IOException {
        return complete(head(attribute, keyOfPath), source);
    }

    public static ObjectRecord complete(Head head, DetailsSource source) throws IOException {
        var details = head.inline.isPresent() ? head.inline.get() : apart(head, source.read(head.version));
        if (details.blocks().count() != BlockSums.blocksOf(head.size)) {
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
                details.checksums(),
                details.headers(),
                details.userMetadata(),
                details.parts(),
                details.backendVersion(),
                details.blocks(),
                head.slice,
                details.parity());
    }

    private static Details apart(Head head, byte[] bytes) throws DamagedRecordException, UnknownFormatException {
        if (digest(bytes) != head.detailsDigest) {
            throw new DamagedRecordException(DETAILS + " are another version's");
        }
        return details(bytes, head);
    }
}
