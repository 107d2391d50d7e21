package dev.sluice.targetnode.storage.change;

/// What an acknowledged write has survived.
public enum Durability {
    /// A loss of power.
    FSYNC,
    /// The end of the process, not of the machine.
    OS
}
