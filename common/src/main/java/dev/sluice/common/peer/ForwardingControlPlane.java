package dev.sluice.common.peer;

import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.Heartbeat;
import dev.sluice.common.cluster.HeartbeatAnswer;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/// A controller for nodes that may not reach the one that leads: what only that one can do, it is asked for from here.
/// It does not pass it on again.
final class ForwardingControlPlane implements ControllerService {
    private final ControllerService own;
    private final Function<NodeId, Optional<? extends ControllerService>> others;

    /// @param others controllers on other nodes, which pass nothing on
    ForwardingControlPlane(ControllerService own, Function<NodeId, Optional<? extends ControllerService>> others) {
        this.own = own;
        this.others = others;
    }

    @Override
    public Told newer(long version, Duration patience) {
        return own.newer(version, patience);
    }

    @Override
    public Told confirm(long version) {
        return byTheLeader(controller -> controller.confirm(version));
    }

    @Override
    public Told apply(Command command, long version) {
        return byTheLeader(controller -> controller.apply(command, version));
    }

    private Told byTheLeader(Function<ControllerService, Told> call) {
        try {
            return call.apply(own);
        } catch (StoreException.NotLeader another) {
            var leader = another.leader().map(NodeId::new).flatMap(others::apply);
            if (leader.isEmpty()) {
                throw another;
            }
            return call.apply(leader.get());
        }
    }

    @Override
    public HeartbeatAnswer beat(Heartbeat beat) {
        return own.beat(beat);
    }
}
