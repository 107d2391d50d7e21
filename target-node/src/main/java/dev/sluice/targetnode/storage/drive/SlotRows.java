package dev.sluice.targetnode.storage.drive;

import dev.sluice.common.placement.Slot;
import dev.sluice.targetnode.storage.index.DriveIndex;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.index.ObjectRows;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.record.ObjectKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// The rows of slots. Those of a dropped bucket are spread over all slots, so they go in steps, and nobody is told of
/// them meanwhile: until the last has gone, the index says so.
final class SlotRows {
    private static final byte[] DROPPED = {'p'};

    private final DriveIndex index;
    private final Map<Long, Integer> purging = new ConcurrentHashMap<>(); // bucket id → the slot to go on with

    SlotRows(DriveIndex index) {
        this.index = index;
    }

    private static byte[] dropped(long bucketId) {
        return ByteBuffer.allocate(DROPPED.length + Long.BYTES)
                .put(DROPPED)
                .putLong(bucketId)
                .array();
    }

    /// @return the buckets that were dropped, and are not gone everywhere
    Set<Long> load() throws IOException {
        index.scan(Table.META, DROPPED, (key, _) -> {
            boolean ours = IndexKeys.startsWith(key, DROPPED);
            if (ours) {
                purging.put(ByteBuffer.wrap(key, DROPPED.length, Long.BYTES).getLong(), 0);
            }
            return ours;
        });
        return purging.keySet();
    }

    /// Part of the batch that drops a bucket; to be followed by [#purgeLater].
    static IndexBatch drop(long bucketId, IndexBatch batch) {
        return batch.put(Table.META, dropped(bucketId), new byte[0]);
    }

    void purgeLater(long bucketId) {
        purging.put(bucketId, 0);
    }

    /// @param first of the hashes whose rows are wanted
    /// @param after where to go on, if it is one of these rows
    void scan(int first, int hashes, Optional<ObjectKey> after, Set<Long> dropped, SlotVisitor visitor)
            throws IOException {
        var from = after.map(key -> ObjectRows.after(key))
                .filter(key -> ObjectRows.hashOf(key) >= first)
                .orElseGet(() -> ObjectRows.slot(first));
        index.scan(Table.SLOTS, from, (key, value) -> {
            if (ObjectRows.hashOf(key) >= first + hashes) {
                return false;
            }
            long bucketId = ObjectRows.bucketOf(key);
            if (dropped.contains(bucketId)) {
                return true;
            }
            var row = ObjectRows.SlotRow.decode(value);
            return visitor.visit(bucketId, ObjectRows.keyOf(key), row.slice(), row.damaged());
        });
    }

    /// Deletes some rows of dropped buckets. One thread's.
    ///
    /// @param atMost slots to look at, and rows to delete
    /// @return whether there are more
    boolean purge(int atMost) throws IOException {
        var some = purging.entrySet().stream().findAny();
        if (some.isEmpty()) {
            return false;
        }
        long bucketId = some.get().getKey();
        int slot = some.get().getValue();
        var gone = new IndexBatch();
        for (int left = atMost; slot < Slot.COUNT && left > 0 && gone.changes().size() < atMost; left--) {
            slot = purge(slot, bucketId, gone);
        }
        if (slot == Slot.COUNT) {
            gone.delete(Table.META, dropped(bucketId));
        }
        if (!gone.isEmpty()) {
            index.write(gone, false);
        }
        if (slot == Slot.COUNT) {
            purging.remove(bucketId);
        } else {
            purging.put(bucketId, slot);
        }
        return !purging.isEmpty();
    }

    /// @return the next slot that may have any
    private int purge(int slot, long bucketId, IndexBatch gone) throws IOException {
        var prefix = ObjectRows.slot(slot, bucketId);
        var next = new int[] {Slot.COUNT};
        index.scan(Table.SLOTS, prefix, (key, _) -> {
            boolean ours = IndexKeys.startsWith(key, prefix);
            if (ours) {
                gone.delete(Table.SLOTS, key);
            } else {
                next[0] = Math.max(slot + 1, ObjectRows.hashOf(key));
            }
            return ours;
        });
        return next[0];
    }
}
