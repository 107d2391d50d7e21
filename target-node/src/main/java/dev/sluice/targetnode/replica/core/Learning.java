package dev.sluice.targetnode.replica.core;

/// Names one learner's comparison with one primacy. With another primary, another role or another process of the
/// learner it begins again.
///
/// @param primarySince of the primary that is the source
/// @param since rows of this epoch and later are never replaced by the source's: the later one of the epoch of the
///     learner's role and `primarySince`
/// @param incarnation of the learner's process
public record Learning(long primarySince, long since, int incarnation) {}
