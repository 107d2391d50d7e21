package dev.sluice.common.peer;

import java.util.Optional;

/// What an operator wants of a target's scrubs.
///
/// @param drive the folder of the one drive that is meant; empty: all of the target's
/// @param mibPerSecond for START: how fast to read; 0 or empty: as fast as the drive gives
public record ScrubCommand(Action action, Optional<String> drive, Optional<Long> mibPerSecond) {
    /// What is to happen.
    public enum Action {
        START,
        STOP,
        STATUS
    }

    public static final ScrubCommand STATUS = new ScrubCommand(Action.STATUS, Optional.empty(), Optional.empty());
}
