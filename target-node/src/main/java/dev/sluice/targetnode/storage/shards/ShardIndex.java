package dev.sluice.targetnode.storage.shards;

import dev.sluice.targetnode.storage.record.ObjectKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.zip.CRC32C;

/// The form of an index's file (docs/on-disk-format.md), all numbers big-endian: a head that says whose it is, the
/// samples, their CRC32C; then the members in the order of the tar, their places in the order of their names, their
/// names, and the CRC32C of those. So the samples are had without the members.
public final class ShardIndex {
    /// "SLSI" and the format.
    static final long MAGIC = 0x534c5349_00000001L;

    /// Up to the key: magic, bucket id, the shard's size, where its last sample ends, the number of samples, of
    /// members, the length of the names, of the key.
    static final int HEAD = 4 * Long.BYTES + 4 * Integer.BYTES;

    /// Of a member: where its bytes are (8), how many they are (8), where its name ends among the names (4), and the
    /// number of the member that comes at this place when they are sorted by name (4).
    static final int MEMBER = 24;

    /// The top bit of a member's size: it is sparse, and these are the bytes that are stored of it.
    static final long SPARSE = Long.MIN_VALUE;

    private ShardIndex() {}

    /// Who may be asked for bytes of a file.
    @FunctionalInterface
    public interface Source {
        /// Fills the buffer, unless the file ends before.
        void read(long offset, ByteBuffer into) throws IOException;
    }

    private record Head(ObjectKey owner, long size, long end, int samples) {
        static Optional<Head> of(ByteBuffer bytes) {
            if (bytes.remaining() < HEAD || bytes.getLong() != MAGIC) {
                return Optional.empty();
            }
            long bucket = bytes.getLong();
            long size = bytes.getLong();
            long end = bytes.getLong();
            int samples = bytes.getInt();
            bytes.getInt(); // members
            bytes.getInt(); // the length of their names
            int length = bytes.getInt();
            if (samples < 0 || samples > NewIndex.MOST_SAMPLES || length < 0 || length > bytes.remaining()) {
                return Optional.empty();
            }
            var key = new byte[length];
            bytes.get(key);
            return Optional.of(
                    new Head(new ObjectKey(bucket, new String(key, StandardCharsets.UTF_8)), size, end, samples));
        }
    }

    /// A head is in the first bytes of a file: keys are 1024 bytes at most.
    private static final int FIRST_READ = 64 << 10;

    /// Whose index it says it is.
    ///
    /// @return empty when that cannot be read
    public static Optional<ObjectKey> owner(Source file) throws IOException {
        return Head.of(read(file, 0, FIRST_READ)).map(Head::owner);
    }

    /// The samples, if the index is this shard's and whole as far as they go.
    ///
    /// @param size the shard's, in bytes
    public static Optional<ShardSamples> samples(Source file, ObjectKey owner, long size) throws IOException {
        var first = read(file, 0, FIRST_READ);
        var head = Head.of(first).filter(found -> found.owner.equals(owner) && found.size == size);
        if (head.isEmpty()) {
            return Optional.empty();
        }
        int begin = first.position();
        int length = head.get().samples * ShardSamples.ENTRY;
        var all = ByteBuffer.allocate(begin + length + Integer.BYTES);
        all.put(first.rewind().limit(Math.min(first.limit(), all.capacity())));
        if (all.hasRemaining()) {
            file.read(all.position(), all);
        }
        if (all.hasRemaining() || crc(all.flip(), begin + length) != all.getInt(begin + length)) {
            return Optional.empty();
        }
        return Optional.of(new ShardSamples(all.position(begin).limit(begin + length), head.get().end));
    }

    private static ByteBuffer read(Source file, long offset, int length) throws IOException {
        var bytes = ByteBuffer.allocate(length);
        file.read(offset, bytes);
        return bytes.flip();
    }

    /// Of the bytes up to there.
    static int crc(ByteBuffer bytes, int end) {
        var crc = new CRC32C();
        crc.update(bytes.duplicate().position(0).limit(end));
        return (int) crc.getValue();
    }
}
