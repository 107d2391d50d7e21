package dev.sluice.targetnode.storage.health;

import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// A change of a key that some of its drives do not have, and that may have been seen: until it is everywhere, the
/// others are not believed alone.
///
/// @param drives the ids of those that have it
/// @param isSure whether each of them has it; else they failed in a way that leaves it open
public record Ahead(ObjectVersion version, Set<String> drives, boolean isSure) {
    /// Without the drives that were given up.
    Optional<Ahead> among(Set<String> members) {
        var left = drives.stream().filter(members::contains).collect(Collectors.toUnmodifiableSet());
        return left.isEmpty() ? Optional.empty() : Optional.of(new Ahead(version, left, isSure));
    }

    /// Whether it may be missing in what these drives have.
    boolean isMissedBy(Collection<String> asked) {
        return isSure ? drives.stream().noneMatch(asked::contains) : !asked.containsAll(drives);
    }

    /// The same when it is known what they have.
    ///
    /// @param newest of that
    boolean isMissedBy(Collection<String> asked, Optional<ObjectVersion> newest) {
        return isMissedBy(asked)
                && newest.filter(found -> found.compareTo(version) >= 0).isEmpty();
    }
}
