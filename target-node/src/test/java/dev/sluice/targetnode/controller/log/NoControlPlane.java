package dev.sluice.targetnode.controller.log;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.ClusterView;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.store.StoreException;
import java.util.concurrent.CompletableFuture;

/// That of a node which has heard nothing yet.
public final class NoControlPlane implements ControlPlane {
    private static StoreException none() {
        return new StoreException.Unavailable("nothing is known yet");
    }

    @Override
    public ClusterView view() {
        throw none();
    }

    @Override
    public CompletableFuture<ClusterState> watch(long version) {
        return CompletableFuture.failedFuture(none());
    }

    @Override
    public ClusterState apply(Command command) {
        throw none();
    }

    @Override
    public ClusterState confirm() {
        throw none();
    }
}
