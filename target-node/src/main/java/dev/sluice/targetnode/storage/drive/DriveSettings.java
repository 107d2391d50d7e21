package dev.sluice.targetnode.storage.drive;

import java.time.Duration;

/// How one drive is worked.
///
/// @param threads that may wait for the drive at the same time
/// @param queue how much may wait for them before more is refused
/// @param reserveBytes new objects are refused when less than this would stay free
/// @param settleAfter how long a change's intent may stay open
public record DriveSettings(int threads, int queue, long reserveBytes, Duration settleAfter) {}
