package dev.sluice.bench.workload;

import dev.sluice.bench.load.Step;
import dev.sluice.bench.load.Workload;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/// Makes the bucket, if it is not there.
public final class BucketCreation implements Workload {
    private final KeySpace keys;
    private final AtomicBoolean asked = new AtomicBoolean();

    public BucketCreation(KeySpace keys) {
        this.keys = keys;
    }

    @Override
    public Session session(int connection) {
        return () -> asked.getAndSet(true) ? Optional.empty() : Optional.of(Step.createBucket(keys.bucketPath()));
    }
}
