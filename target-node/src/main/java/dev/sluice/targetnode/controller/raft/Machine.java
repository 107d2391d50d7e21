package dev.sluice.targetnode.controller.raft;

/// What the log's entries change. Called in the order of the log, on one thread at a time. A failure of
/// `apply` or `restore` closes the server: an entry that is committed cannot be skipped.
public interface Machine {
    /// @return for who proposed it
    byte[] apply(byte[] entry);

    /// The whole state after the entries applied so far.
    byte[] snapshot();

    /// Replaces the whole state.
    void restore(byte[] snapshot);
}
