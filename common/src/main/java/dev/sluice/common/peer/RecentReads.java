package dev.sluice.common.peer;

/// What clients read of a bucket lately. A target counts from its start.
///
/// @param unchecked requests that were served a cached object though it was time to compare it: the cloud did not
/// answer; since the target's start
public record RecentReads(ReadCounts minute, ReadCounts hour, ReadCounts day, long unchecked) {
    public static final RecentReads NONE = new RecentReads(ReadCounts.NONE, ReadCounts.NONE, ReadCounts.NONE, 0);
}
