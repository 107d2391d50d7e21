package dev.sluice.common.peer;

import dev.sluice.common.jobs.JobPart;
import java.util.Optional;

/// How a target's part of a job stands now.
///
/// @param objectsAll of the selection on this target; empty until they are counted
/// @param bytesPerSecond of late; 0 when it does not run
public record LiveJob(
        String id, JobPart part, Optional<Long> objectsAll, long bytesPerSecond, Optional<Long> secondsLeft) {}
