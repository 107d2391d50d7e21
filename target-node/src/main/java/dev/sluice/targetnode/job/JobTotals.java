package dev.sluice.targetnode.job;

import java.util.concurrent.atomic.LongAdder;

/// What the jobs of this target have done since its start.
public final class JobTotals {
    private final LongAdder done = new LongAdder();
    private final LongAdder skipped = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder bytes = new LongAdder();

    void finished(StepResult result) {
        (result.changed() ? done : skipped).increment();
        bytes.add(result.bytes());
    }

    void failed() {
        failed.increment();
    }

    public long doneObjects() {
        return done.sum();
    }

    public long skippedObjects() {
        return skipped.sum();
    }

    public long failedObjects() {
        return failed.sum();
    }

    public long movedBytes() {
        return bytes.sum();
    }
}
