package dev.sluice.proxy;

import dev.sluice.common.cluster.Node;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.PeerClient;
import dev.sluice.common.peer.TargetService;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// The way to every target: a call where it shares this JVM, HTTP where it does not.
public final class Targets {
    private final Map<NodeId, TargetService> local = new ConcurrentHashMap<>();
    private final PeerClient peers;

    public Targets(PeerClient peers) {
        this.peers = peers;
    }

    public void addLocal(NodeId id, TargetService target) {
        local.put(id, target);
    }

    Optional<TargetService> local(NodeId id) {
        return Optional.ofNullable(local.get(id));
    }

    TargetService of(Node node) {
        var here = local.get(node.id());
        return here == null ? new RemoteTarget(node, peers) : here;
    }
}
