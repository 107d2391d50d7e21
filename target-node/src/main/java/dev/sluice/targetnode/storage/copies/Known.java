package dev.sluice.targetnode.storage.copies;

import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.index.ObjectEntry;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.util.Optional;

/// What one drive knows of a key.
///
/// @param entry of the copy it has
/// @param note the newest change it took part in that others may have missed; when it has no copy of that, the
/// change was a deletion
public record Known(Drive drive, Optional<ObjectEntry> entry, Optional<ObjectVersion> note) {
    private static final ObjectVersion NOTHING = new ObjectVersion(0, -1);

    /// The newest change of the key that the drive knows of.
    ObjectVersion newest() {
        var copy = entry.map(ObjectEntry::version).orElse(NOTHING);
        return note.isPresent() && note.get().compareTo(copy) > 0 ? note.get() : copy;
    }

    boolean isNothing() {
        return entry.isEmpty() && note.isEmpty();
    }

    boolean has(ObjectVersion version) {
        return entry.isPresent() && entry.get().version().equals(version);
    }
}
