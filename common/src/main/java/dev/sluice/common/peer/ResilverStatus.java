package dev.sluice.common.peer;

import java.util.List;
import java.util.Optional;

/// How the resilver of a target stands. Times are in milliseconds since 1970, 0 for never; what is counted is of the
/// pass under way, or of the last one.
///
/// @param settled whether each key is where it belongs, as far as drives are known
/// @param reason what it waits for
/// @param keys that were looked at, on all drives
/// @param keysAll on the drives that can be read
/// @param bytesPerSecond moved of late; 0 when it does not run
/// @param failures objects that could not be moved lately
/// @param latest the newest of them, newest first
public record ResilverStatus(
        State state,
        boolean settled,
        Optional<String> reason,
        long keys,
        long keysAll,
        long movedObjects,
        long movedBytes,
        long bytesPerSecond,
        Optional<Long> secondsLeft,
        long begunMillis,
        long finishedMillis,
        long failures,
        List<ResilverFailure> latest) {
    /// What it does now.
    public enum State {
        /// All is done.
        IDLE,
        /// Something is to be done, but not now.
        WAITING,
        RUNNING,
        /// By an operator's word.
        STOPPED
    }

    public ResilverStatus {
        latest = List.copyOf(latest);
    }
}
