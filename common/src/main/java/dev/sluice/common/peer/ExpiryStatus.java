package dev.sluice.common.peer;

import java.util.Optional;

/// What became of a bucket's expired objects on one target, since its start.
///
/// @param lastMillis when the last pass ended, since 1970; 0 for none yet
/// @param deleted objects, by all passes
/// @param waiting objects that the last pass found and that are to be deleted later
/// @param failed objects that the last pass could not delete, and the next one tries again
/// @param problem why no pass was begun when it was time for one
public record ExpiryStatus(long lastMillis, long deleted, long waiting, long failed, Optional<String> problem) {
    public static final ExpiryStatus NONE = new ExpiryStatus(0, 0, 0, 0, Optional.empty());
}
