package dev.sluice.common.peer;

import java.util.List;
import java.util.Optional;

/// How the scrub of one drive stands. Times are in milliseconds since 1970, 0 for never.
///
/// @param trouble why it cannot go on at the moment
/// @param objects checked in this pass, or in the last one
/// @param objectsAll on the drive
/// @param bytesPerSecond of late; 0 when it does not run
/// @param findings how many there are of the last whole pass and the one under way
/// @param latest the newest of them, newest first
public record DriveScrub(
        String drive,
        String path,
        State state,
        Optional<String> trouble,
        long objects,
        long objectsAll,
        long bytes,
        long bytesAll,
        long bytesPerSecond,
        Optional<Long> secondsLeft,
        long begunMillis,
        long finishedMillis,
        Optional<Long> nextMillis,
        long findings,
        List<ScrubFinding> latest) {
    /// What it does now.
    public enum State {
        /// Between two passes.
        IDLE,
        RUNNING,
        /// In the middle of a pass, by an operator's word; goes on by one.
        STOPPED,
        /// Waits for the drive or the cluster's state.
        WAITING,
        /// An operator has taken the drive out of use.
        DISABLED
    }

    public DriveScrub {
        latest = List.copyOf(latest);
    }
}
