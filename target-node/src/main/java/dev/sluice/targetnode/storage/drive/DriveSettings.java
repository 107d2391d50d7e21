package dev.sluice.targetnode.storage.drive;

import dev.sluice.targetnode.storage.space.CoarseClock;
import dev.sluice.targetnode.storage.space.Watermarks;
import java.time.Duration;

/// How one drive is worked.
///
/// @param threads that may wait for the drive at the same time
/// @param queue how much may wait for them before more is refused
/// @param queuedBytes of bodies among that
/// @param reserveBytes new objects are refused when less than this would stay free
/// @param watermarks between which copies are evicted
/// @param settleAfter how long a change's intent may stay open
/// @param minutes for when objects are read
public record DriveSettings(
        int threads,
        int queue,
        long queuedBytes,
        long reserveBytes,
        Watermarks watermarks,
        Duration settleAfter,
        CoarseClock minutes) {}
