package dev.sluice.targetnode.storage.copies;

import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.index.ObjectEntry;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// What the readable drives together know of a key.
///
/// @param version of the newest change; empty when none knows the key
/// @param doubt why there may be a newer one on drives that cannot be read
public record Sighting(List<Known> known, Optional<ObjectVersion> version, Optional<String> doubt) {
    /// The newest version as its copies have it; empty when the newest change was a deletion.
    public Optional<ObjectEntry> entry() {
        return newest().stream().findFirst().flatMap(Known::entry);
    }

    /// Drives that have the newest version, the least busy first; empty when the key was never there, or its newest
    /// change was a deletion.
    public List<Drive> copies() {
        return newest().stream()
                .map(Known::drive)
                .sorted(Comparator.comparingInt(Drive::waiting))
                .toList();
    }

    /// What those drives know that have the newest version.
    List<Known> newest() {
        return known.stream()
                .filter(each -> version.filter(each::has).isPresent())
                .toList();
    }
}
