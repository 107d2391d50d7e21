package dev.sluice.targetnode.controller;

import dev.sluice.common.peer.ControllerService;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.controller.judge.ControllerStatus;
import dev.sluice.targetnode.controller.raft.RaftHandler;

/// What a controller answers to other nodes.
public interface ControllerNode {
    /// For nodes of this process, and for what another controller passes on.
    ControllerService service();

    /// For other nodes: if another controller leads, it is asked by this one.
    ControllerService forOthers();

    /// @throws StoreException.Unavailable while it has no part of the log
    RaftHandler raft();

    /// Takes what another controller says, and says the same of itself.
    ControllerStatus exchange(ControllerStatus word);
}
