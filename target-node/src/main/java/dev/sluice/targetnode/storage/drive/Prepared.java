package dev.sluice.targetnode.storage.drive;

import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.ObjectEntry;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.RecordFormat;
import java.util.Optional;
import java.util.Set;

/// A change that only waits for its turn: the files it speaks of are written.
///
/// @param folders whose names the change needs to be durable first
/// @param with changes of the index that happen together with this one
public record Prepared(Optional<Intent> intent, IndexBatch with, Set<String> folders, boolean durable) {
    /// Of an object that is in its intent.
    int bytes() {
        return intent.orElse(null) instanceof Intent.Put put
                ? put.content().map(content -> content.data().length).orElse(0)
                : 0;
    }

    /// The same with another change of the index.
    public Prepared and(IndexBatch more) {
        return new Prepared(intent, new IndexBatch().addAll(with).addAll(more), folders, durable);
    }

    /// A small object that is to last, whose bytes are at hand: the intent makes it durable, and its file
    /// is made afterwards. Touches no drive.
    ///
    /// @param work where the file is made when another is to be replaced
    /// @return empty when its record is too long for that
    public static Optional<Prepared> smallPut(
            BucketRef bucket, String work, ObjectRecord record, byte[] data, IndexBatch with) {
        return RecordFormat.atItsPath(record).map(attribute -> {
            var content = new Intent.Content(attribute, data);
            var entry = ObjectEntry.of(record, false);
            var intent = new Intent.Put(bucket, record.key(), work, entry, with, Optional.of(content));
            return new Prepared(Optional.of(intent), new IndexBatch(), Set.of(), true);
        });
    }

    public static Prepared deletion(BucketRef bucket, String key, ObjectVersion version, boolean durable) {
        return new Prepared(Optional.of(new Intent.Delete(bucket, key, version)), new IndexBatch(), Set.of(), durable);
    }

    /// A change of the index alone.
    public static Prepared ofIndex(IndexBatch batch, Set<String> folders, boolean durable) {
        return new Prepared(Optional.empty(), batch, folders, durable);
    }
}
