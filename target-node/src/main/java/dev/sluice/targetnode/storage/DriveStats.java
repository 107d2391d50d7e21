package dev.sluice.targetnode.storage;

import dev.sluice.targetnode.storage.health.DriveStatus;
import java.util.Optional;

/// One drive's state, for metrics and operators.
///
/// @param objects as last known, when it is not open
/// @param suspect what last spoke against it
public record DriveStats(
        String id,
        String path,
        long weight,
        DriveStatus status,
        long objects,
        long bytes,
        long freeBytes,
        int waiting,
        long errors,
        Optional<String> suspect,
        long probes) {}
