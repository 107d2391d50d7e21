package dev.sluice.targetnode.storage.drive;

import dev.sluice.targetnode.storage.index.IndexBatch;
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
}
