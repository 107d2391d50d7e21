package dev.sluice.targetnode.storage.eviction;

/// What eviction did on one drive since the start, for metrics.
///
/// @param objects that were evicted
/// @param bytes of them
/// @param enough runs that freed what they were to free
/// @param busy runs that freed less, as some copies were in use
/// @param tooLittle runs after which nothing was left that may go
/// @param failed runs that broke off
/// @param missing bytes that the last run was short of
public record EvictionStats(
        String drive, long objects, long bytes, long enough, long busy, long tooLittle, long failed, long missing) {
    /// After a run for another reason than the drive's own fullness.
    EvictionStats plus(Eviction.Freed freed) {
        return new EvictionStats(
                drive, objects + freed.objects(), bytes + freed.bytes(), enough, busy, tooLittle, failed, missing);
    }
}
