package dev.sluice.targetnode.storage.index;

import dev.sluice.common.placement.Slot;
import dev.sluice.common.s3.listing.KeyOrder;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.PackedReader;
import dev.sluice.targetnode.storage.record.PackedWriter;
import dev.sluice.targetnode.storage.record.Slice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;

/// How an object stands in the index: in [Table#OBJECTS] for listings, and in [Table#SLOTS] for those who copy or
/// compare a slot. Both are written here, in one batch, and nowhere else; a drop of a bucket takes both away.
public final class ObjectRows {
    private static final int FORMAT = 1;
    private static final int DAMAGED = 1;
    private static final int SLICE = 2;
    private static final int HEAD = 2 + 8;

    /// That of the rows in [Table#SLOTS].
    public static final Comparator<ObjectKey> ORDER = Comparator.comparingInt((ObjectKey key) -> hashOf(key))
            .thenComparingLong(ObjectKey::bucketId)
            .thenComparing(ObjectKey::key, KeyOrder.INSTANCE);

    /// What a slot has of an object.
    public record SlotRow(Slice slice, boolean damaged) {
        byte[] encode() {
            var out = new PackedWriter(FORMAT)
                    .version(slice.version())
                    .number((damaged ? DAMAGED : 0) | (slice.position() == 0 ? 0 : SLICE));
            return slice.position() == 0
                    ? out.sealed()
                    : out.number(slice.position() - Slice.NONE).sealed();
        }

        public static SlotRow decode(byte[] value) throws IOException {
            var in = new PackedReader("a row of a slot", value, FORMAT);
            var version = in.version();
            long flags = in.number();
            int position = (flags & SLICE) == 0 ? 0 : (int) in.number() + Slice.NONE;
            return new SlotRow(new Slice(version, position), (flags & DAMAGED) != 0);
        }
    }

    private ObjectRows() {}

    public static IndexBatch put(IndexBatch batch, long bucketId, String key, ObjectEntry entry) {
        var row = new SlotRow(entry.held(), entry.damaged());
        return batch.put(Table.OBJECTS, IndexKeys.object(bucketId, key), entry.encode())
                .put(Table.SLOTS, inSlot(bucketId, key), row.encode());
    }

    public static IndexBatch delete(IndexBatch batch, long bucketId, String key) {
        return batch.delete(Table.OBJECTS, IndexKeys.object(bucketId, key)).delete(Table.SLOTS, inSlot(bucketId, key));
    }

    private static byte[] inSlot(long bucketId, String key) {
        var utf8 = IndexKeys.utf8(key);
        return ByteBuffer.allocate(HEAD + utf8.length)
                .putShort((short) Slot.of(bucketId, key))
                .putLong(bucketId)
                .put(utf8)
                .array();
    }

    /// What all with a hash begin with.
    public static byte[] slot(int hash) {
        return ByteBuffer.allocate(2).putShort((short) hash).array();
    }

    /// What comes first after an object's row.
    public static byte[] after(ObjectKey object) {
        var row = inSlot(object.bucketId(), object.key());
        return Arrays.copyOf(row, row.length + 1);
    }

    /// What all of a bucket with a hash begin with.
    public static byte[] slot(int hash, long bucketId) {
        return ByteBuffer.allocate(HEAD)
                .putShort((short) hash)
                .putLong(bucketId)
                .array();
    }

    public static int hashOf(ObjectKey object) {
        return Slot.of(object.bucketId(), object.key());
    }

    public static int hashOf(byte[] row) {
        return Short.toUnsignedInt(ByteBuffer.wrap(row).getShort());
    }

    public static long bucketOf(byte[] row) {
        return ByteBuffer.wrap(row).getLong(2);
    }

    public static String keyOf(byte[] row) {
        return new String(row, HEAD, row.length - HEAD, StandardCharsets.UTF_8);
    }
}
