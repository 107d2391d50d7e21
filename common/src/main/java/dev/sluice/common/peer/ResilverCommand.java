package dev.sluice.common.peer;

/// What an operator wants of a target's resilver.
public enum ResilverCommand {
    /// A pass over every key, also when all is said to be in its place; or the end of a stop.
    START,
    /// Until START, or a restart of the target.
    STOP,
    STATUS
}
