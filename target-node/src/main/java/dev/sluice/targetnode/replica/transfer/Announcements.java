package dev.sluice.targetnode.replica.transfer;

import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.targetnode.replica.loop.LocalReplica;
import dev.sluice.targetnode.storage.slots.Arriving;
import java.util.Optional;

/// Tells the other replicas of bytes that come to the primary. Never blocks.
public interface Announcements {
    /// @param replica that they come to, by a row in which it is the primary
    /// @param bucketId of the object
    /// @return under which name the others can ask for them, until [#end]
    Optional<String> announce(LocalReplica replica, SlotRow row, long bucketId, Arriving bytes);

    void end(String name);
}
