package dev.sluice.common.peer;

import dev.sluice.common.cluster.Node;
import dev.sluice.common.name.NodeId;

/// A node that is called.
///
/// @param url where it listens, `http://host:port`
public record PeerAddress(NodeId id, String url) {
    public static PeerAddress of(Node node) {
        return new PeerAddress(node.id(), node.url());
    }
}
