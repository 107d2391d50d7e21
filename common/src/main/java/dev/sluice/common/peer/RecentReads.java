package dev.sluice.common.peer;

/// What clients read of a bucket lately. A target counts from its start.
public record RecentReads(ReadCounts minute, ReadCounts hour, ReadCounts day) {
    public static final RecentReads NONE = new RecentReads(ReadCounts.NONE, ReadCounts.NONE, ReadCounts.NONE);
}
