package dev.sluice.common.cluster;

/// The controller's answer to a target's beat.
///
/// @param promised whether the controller says nothing against this target for 1.1 s: the target has a lease of 1 s
/// from
///     the sending of the beat
/// @param version of the controller's state; the promise counts once the target has applied it
public record Beaten(boolean promised, long version) {}
