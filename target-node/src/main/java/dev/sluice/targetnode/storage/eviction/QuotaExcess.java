package dev.sluice.targetnode.storage.eviction;

import dev.sluice.targetnode.storage.record.BucketRef;

/// A bucket that has too many copies in the cluster.
///
/// @param keep which part of its bytes on each drive is to stay
/// @param knownAt how old the figures are that say so, by the clock of [System#nanoTime]: who has trimmed since then
///     waits for newer ones
public record QuotaExcess(BucketRef bucket, double keep, long knownAt) {}
