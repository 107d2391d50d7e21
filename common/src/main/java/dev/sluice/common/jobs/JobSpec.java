package dev.sluice.common.jobs;

/// What a job is to do.
///
/// @param prefix of the keys it works on; empty for the whole bucket
/// @param dryRun it only counts what it would do
public record JobSpec(JobKind kind, String bucket, long bucketId, String prefix, boolean dryRun) {
    /// For the record of a job that has ended.
    JobSpec shortened(int prefixLength) {
        return new JobSpec(kind, bucket, bucketId, ShortText.of(prefix, prefixLength), dryRun);
    }
}
