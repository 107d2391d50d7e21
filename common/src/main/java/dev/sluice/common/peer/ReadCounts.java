package dev.sluice.common.peer;

/// GETs of a bucket that were answered in a span of time.
///
/// @param hits those whose bytes were on a drive or in memory
/// @param misses those whose bytes came from the cloud
/// @param bytes of all of them
/// @param cloudBytes of the misses
public record ReadCounts(long hits, long misses, long bytes, long cloudBytes) {
    public static final ReadCounts NONE = new ReadCounts(0, 0, 0, 0);

    public ReadCounts plus(ReadCounts other) {
        return new ReadCounts(
                hits + other.hits, misses + other.misses, bytes + other.bytes, cloudBytes + other.cloudBytes);
    }

    public ReadCounts minus(ReadCounts earlier) {
        return new ReadCounts(
                hits - earlier.hits, misses - earlier.misses, bytes - earlier.bytes, cloudBytes - earlier.cloudBytes);
    }
}
