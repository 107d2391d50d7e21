package dev.sluice.common.cluster.slots;

/// A drive's part in a slot.
///
/// @param drive the drive's id
/// @param inSync whether it has every acknowledged write of the slot; else it is a learner: it takes writes, copies the
///     rest, and never serves
/// @param incarnation the drive's, when it got this role
/// @param since the epoch in which it got this role
public record Member(String drive, boolean inSync, int incarnation, long since) {}
