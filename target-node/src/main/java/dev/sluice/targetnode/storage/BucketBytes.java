package dev.sluice.targetnode.storage;

import dev.sluice.targetnode.storage.drive.Usage;
import dev.sluice.targetnode.storage.health.Drives;
import dev.sluice.targetnode.storage.index.ObjectEntry;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.slots.SlotWriter;
import java.util.Optional;
import java.util.function.Function;

/// What buckets and objects take on the drives of a target.
public final class BucketBytes {
    private final Drives drives;
    private final Function<BucketRef, SlotWriter> writers;

    BucketBytes(Drives drives, Function<BucketRef, SlotWriter> writers) {
        this.drives = drives;
        this.writers = writers;
    }

    /// Never blocks. Of a drive that is out, or not open yet, what was last known.
    public Usage of(long bucketId) {
        return drives.slots().stream().map(slot -> slot.usage(bucketId)).reduce(Usage.NONE, Usage::plus);
    }

    /// What would go if this key were deleted now, all copies. Blocks.
    ///
    /// @throws dev.sluice.common.store.StoreException.Unavailable when a drive it belongs on takes no writes
    public long of(long bucketId, String key) {
        var where = drives.of(bucketId, key);
        var _ = where.toWrite();
        return where.writable().stream()
                .map(drive -> drive.call(() -> drive.store().entry(bucketId, key)))
                .flatMap(Optional::stream)
                .mapToLong(ObjectEntry::size)
                .sum();
    }

    /// The size of the object that each replica of this key has, or has a slice of. Blocks.
    ///
    /// @throws dev.sluice.common.store.StoreException.Unavailable when this target may not answer for the key now
    public long ofReplica(BucketRef bucket, String key) {
        try (var serving = writers.apply(bucket).serving(bucket, key)) {
            var drive = serving.drives().getFirst();
            return drive.call(() -> drive.store().entry(bucket.id(), key))
                    .map(ObjectEntry::size)
                    .orElse(0L);
        }
    }

    /// How many drives the target has, in whatever state.
    public int drives() {
        return drives.slots().size();
    }
}
