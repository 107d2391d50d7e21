package dev.sluice.common.cluster;

import dev.sluice.common.name.NodeId;

/// One controller's answer to a target's beat.
///
/// @param promised whether the controller says nothing against this target for 1.1 s. With the promises of a majority
///     to one beat, the target has a lease of 1 s from the sending of that beat
/// @param version of the controller's state; the promise counts once the target has applied it
public record HeartbeatAnswer(NodeId controller, boolean promised, long version, Leadership leadership) {
    public boolean leads() {
        return leadership.isOf(controller);
    }
}
