package dev.sluice.common.peer;

/// What an operator may do with a target's drive.
public enum MountpathChange {
    ATTACH,
    /// What it has is moved first.
    DETACH,
    /// All that only it had is given up.
    DETACH_LOST,
    ENABLE,
    DISABLE
}
