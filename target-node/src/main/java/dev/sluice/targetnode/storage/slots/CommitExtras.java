package dev.sluice.targetnode.storage.slots;

import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.record.FromParts;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import java.util.Optional;

/// What belongs to the change that makes an object of written bytes, besides these. Nothing, as a rule.
public interface CommitExtras {
    CommitExtras NONE = new CommitExtras() {};

    /// Of an object that a multipart upload made.
    default Optional<FromParts> parts() {
        return Optional.empty();
    }

    /// What changes in the index with the object.
    default IndexBatch with(ObjectRecord record) {
        return new IndexBatch();
    }

    /// @throws dev.sluice.common.store.StoreException when it may not be handed in there
    default void require(SlotWriter.Serving serving) {}

    /// The change is handed in: [#decided] follows, once.
    default void begun() {}

    /// See [Staged#decided].
    default void decided() {}
}
