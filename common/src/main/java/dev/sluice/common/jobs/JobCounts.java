package dev.sluice.common.jobs;

/// How far a job is, in objects.
///
/// @param listed objects found so far
/// @param done objects it has changed, or would change in a dry run
/// @param skipped objects that needed no work
/// @param bytes of the objects that are done
/// @param requests to the cloud, those of listings included; in a dry run those that the job would make
public record JobCounts(long listed, long done, long skipped, long failed, long bytes, long requests) {
    public static final JobCounts NONE = new JobCounts(0, 0, 0, 0, 0, 0);

    public JobCounts plus(JobCounts other) {
        return new JobCounts(
                listed + other.listed,
                done + other.done,
                skipped + other.skipped,
                failed + other.failed,
                bytes + other.bytes,
                requests + other.requests);
    }
}
