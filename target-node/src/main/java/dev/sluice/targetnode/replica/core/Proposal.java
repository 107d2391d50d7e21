package dev.sluice.targetnode.replica.core;

/// What a replica asks of the controllers. Each holds only while the slot's row has the epoch that it names. A repeated
/// one has no second effect.
public sealed interface Proposal {
    long epoch();

    /// The primary serves. Empties the fence list.
    record Opened(long epoch) implements Proposal {}

    /// A learner has everything.
    record Promote(long epoch, String drive, int incarnation) implements Proposal {}

    /// A living, leased in-sync member asks that in-sync members go that are down or out, or more than the group wants.
    ///
    /// @param drive of the member that asks
    /// @param incarnation of its process
    record Expel(long epoch, String drive, int incarnation) implements Proposal {}

    /// A learner refuses a write.
    record TakeOff(long epoch, String drive, int incarnation) implements Proposal {}
}
