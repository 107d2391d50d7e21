package dev.sluice.targetnode.storage;

import dev.sluice.targetnode.storage.health.DriveStatus;
import java.util.Optional;

/// One drive's state, for metrics and operators.
///
/// @param path where it was last; empty when another drive took its place
/// @param leaving whether an operator detached it, and what it has is being moved
/// @param objects as last known, when it is not open
/// @param full whether it has no room for new learners
/// @param waiting calls in its queue
/// @param waitingBytes of bodies that it is to write
/// @param intents changes that a restart would do again
/// @param suspect what last spoke against it
public record DriveStats(
        String id,
        String path,
        long weight,
        boolean leaving,
        DriveStatus status,
        long objects,
        long bytes,
        long freeBytes,
        boolean full,
        int waiting,
        long waitingBytes,
        int intents,
        long errors,
        Optional<String> suspect,
        long probes) {}
