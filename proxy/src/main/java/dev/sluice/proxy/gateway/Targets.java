package dev.sluice.proxy.gateway;

import dev.sluice.common.cluster.Node;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.PeerClient;
import dev.sluice.common.peer.TargetService;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentMap;

/// The way to every target: a call where it shares this JVM, HTTP where it does not.
public final class Targets {
    private final Map<NodeId, TargetService> local;
    private final PeerClient peers;

    /// @param local the targets in this JVM, which come and go with their nodes
    public Targets(ConcurrentMap<NodeId, TargetService> local, PeerClient peers) {
        this.local = local;
        this.peers = peers;
    }

    public TargetService of(Node node) {
        return here(node.id()).orElseGet(() -> new RemoteTarget(node, peers));
    }

    /// When it is in this JVM.
    public Optional<TargetService> here(NodeId node) {
        return Optional.ofNullable(local.get(node));
    }
}
