package dev.sluice.common.peer;

/// What a bucket takes on the drives of one target.
///
/// @param bytes of its objects, each copy counted
/// @param uploading bytes of the parts of unfinished multipart uploads
/// @param reserved bytes that writes under way may add
public record BucketUsage(long bucketId, long objects, long bytes, long uploading, long reserved) {
    /// What counts against the bucket's quota.
    public long allBytes() {
        return bytes + uploading + reserved;
    }
}
