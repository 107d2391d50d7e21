package dev.sluice.targetnode.storage;

import java.util.Optional;

/// One drive's state, for metrics and operators.
///
/// @param suspect what last spoke against it
public record DriveStats(
        String id,
        String path,
        long weight,
        boolean ready,
        long objects,
        long bytes,
        long freeBytes,
        int waiting,
        long errors,
        Optional<String> suspect) {}
