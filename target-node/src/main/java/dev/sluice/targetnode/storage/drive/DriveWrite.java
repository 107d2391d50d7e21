package dev.sluice.targetnode.storage.drive;

import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.util.Optional;

/// One write of a group that is committed together.
sealed interface DriveWrite {
    /// A change that is decided and fulfilled.
    record Whole(Prepared change) implements DriveWrite {}

    /// A change that is made durable as an open intent, and not fulfilled.
    record Opening(Prepared change) implements DriveWrite {
        public Opening {
            if (change.intent().isEmpty()) {
                throw new IllegalArgumentException("a change without an intent cannot be open");
            }
        }

        Intent intent() {
            return change.intent().orElseThrow();
        }
    }

    /// An open intent is fulfilled.
    record Committing(ObjectKey name, ObjectVersion version) implements DriveWrite {}

    /// An open intent goes.
    ///
    /// @param sync whether durably
    record Aborting(ObjectKey name, ObjectVersion version, boolean sync) implements DriveWrite {}

    /// The change that it brings along.
    default Optional<Prepared> prepared() {
        return switch (this) {
            case Whole(var change) -> Optional.of(change);
            case Opening(var change) -> Optional.of(change);
            case Committing _, Aborting _ -> Optional.empty();
        };
    }

    /// The key whose row or open intent it changes; empty for a change of the index alone.
    default Optional<ObjectKey> key() {
        return switch (this) {
            case Whole(var change) -> change.intent().map(Intent::name);
            case Opening opening -> Optional.of(opening.intent().name());
            case Committing committing -> Optional.of(committing.name);
            case Aborting aborting -> Optional.of(aborting.name);
        };
    }
}
