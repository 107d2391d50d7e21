package dev.sluice.targetnode.controller;

import dev.sluice.common.peer.ControllerService;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.controller.raft.RaftHandler;

/// What a controller answers to other nodes.
public interface ControllerNode {
    ControllerService service();

    /// @throws StoreException.Unavailable while it has no part of the log
    RaftHandler raft();

    /// Takes what another controller says, and says the same of itself.
    ControllerWord exchange(ControllerWord word);
}
