package dev.sluice.targetnode.job;

import dev.sluice.common.store.StoreException;

/// What one job does: which objects it is about, and what it does with each of this target's.
interface JobWork {
    /// Of all targets.
    Selection selection();

    /// Whether this target works on a key.
    boolean isHere(String key);

    /// How many connections to the cloud a step may use at once.
    int connections(JobItem object);

    /// What the cloud says of an object that was named and not listed, by one request. Blocks.
    ///
    /// @return the same where a step does without
    /// @throws StoreException when it has none, or does not answer
    default JobItem asked(JobItem named) {
        return named;
    }

    /// Works on one object. Repeating it changes nothing. Blocks; several run at once.
    ///
    /// @throws JobEnded when the job cannot go on at all
    /// @throws StoreException when this object cannot be worked on
    StepResult step(JobItem object) throws InterruptedException;
}
