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

    /// Works on one object. Repeating it changes nothing. Blocks; several run at once.
    ///
    /// @throws JobEnded when the job cannot go on at all
    /// @throws StoreException when this object cannot be worked on
    StepResult step(JobItem object) throws InterruptedException;
}
