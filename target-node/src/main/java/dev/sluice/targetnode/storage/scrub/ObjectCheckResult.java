package dev.sluice.targetnode.storage.scrub;

import dev.sluice.common.peer.ScrubFinding;
import dev.sluice.targetnode.storage.index.ObjectEntry;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.util.Optional;

/// What the check of one object came to.
sealed interface ObjectCheckResult {
    record Whole() implements ObjectCheckResult {}

    /// Deleted meanwhile, by itself or with its bucket, or written too often to be caught.
    record Gone() implements ObjectCheckResult {}

    /// Whole, though the entry says damaged: somebody brought the file back.
    record Restored(ObjectEntry entry) implements ObjectCheckResult {}

    /// Written by a newer Sluice: not to be judged.
    record Unknown(String why) implements ObjectCheckResult {}

    /// @param entry that was judged, where it could be read
    /// @param version that the file's record names, where that could be read
    /// @param hidden whether readers may not notice by themselves
    record Bad(
            ScrubFinding.Kind kind,
            String why,
            Optional<ObjectEntry> entry,
            Optional<ObjectVersion> version,
            boolean hidden)
            implements ObjectCheckResult {
        static Bad of(ScrubFinding.Kind kind, String why, Optional<ObjectEntry> entry) {
            return new Bad(kind, why, entry, Optional.empty(), false);
        }
    }
}
