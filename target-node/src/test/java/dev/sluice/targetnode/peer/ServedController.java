package dev.sluice.targetnode.peer;

import dev.sluice.common.peer.ControllerService;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.controller.ControllerNode;
import dev.sluice.targetnode.controller.judge.ControllerStatus;
import dev.sluice.targetnode.controller.raft.RaftHandler;

/// A controller that stands alone.
record ServedController(ControllerService service) implements ControllerNode {
    private static StoreException alone() {
        return new StoreException.Unavailable("there are no other controllers");
    }

    @Override
    public ControllerService forOthers() {
        return service;
    }

    @Override
    public RaftHandler raft() {
        throw alone();
    }

    @Override
    public ControllerStatus exchange(ControllerStatus word) {
        throw alone();
    }
}
