package dev.sluice.common.peer;

import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.Heartbeat;
import dev.sluice.common.cluster.HeartbeatAnswer;
import dev.sluice.common.cluster.Leadership;
import dev.sluice.common.cluster.StateUpdate;
import dev.sluice.common.store.StoreException;
import java.time.Duration;

/// One controller, on this node or another.
public interface ControllerService {
    /// What somebody lacks who has the state of a version, and who leads.
    record Told(StateUpdate update, Leadership leadership) {}

    /// Waits for something newer than this version, for so long at most; then there are no changes.
    ///
    /// @param version -1 for none
    /// @throws StoreException.Unavailable when it has no whole state, or does not hear the leader
    Told newer(long version, Duration patience);

    /// What was the newest at some time during the call. Blocks.
    ///
    /// @throws StoreException.NotLeader when another one is to be asked
    /// @throws StoreException.Unavailable when it does not answer
    Told confirm(long version);

    /// Changes the state, durably. Blocks.
    ///
    /// @return what somebody with the state of this version lacks to have the one after the change
    /// @throws StoreException.NotLeader when another one is to be asked; nothing was done
    /// @throws StoreException.Unavailable when the outcome is not known
    /// @throws StoreException what [dev.sluice.common.cluster.planning.Planner#plan] throws
    Told apply(Command command, long version);

    /// A target says that it lives. Waits for half a second at most, and never behind other calls.
    HeartbeatAnswer beat(Heartbeat beat);
}
