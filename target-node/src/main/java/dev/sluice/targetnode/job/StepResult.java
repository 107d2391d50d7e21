package dev.sluice.targetnode.job;

/// What a step did.
///
/// @param changed false when nothing was to do
/// @param bytes that it moved, or would move
/// @param requests to the cloud
record StepResult(boolean changed, long bytes, int requests) {
    static StepResult skipped(int requests) {
        return new StepResult(false, 0, requests);
    }

    static StepResult done(long bytes, int requests) {
        return new StepResult(true, bytes, requests);
    }
}
