package dev.sluice.targetnode.job;

import dev.sluice.backend.BackendPage;
import dev.sluice.common.store.StoreException;

/// What one job does: which keys it is about, and what it does with each of this target's.
interface JobWork {
    /// A page of the job's keys, of all targets. Blocks.
    ///
    /// @param after the keys are greater; empty at the beginning
    BackendPage page(String after);

    /// Whether this target works on a key.
    boolean isHere(String key);

    /// How many connections to the cloud a step may use at once.
    int connections(BackendPage.Entry object);

    /// Works on one object. Repeating it changes nothing. Blocks; several run at once.
    ///
    /// @throws JobEnded when the job cannot go on at all
    /// @throws StoreException when this object cannot be worked on
    StepResult step(BackendPage.Entry object) throws InterruptedException;
}
