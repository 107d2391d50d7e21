package dev.sluice.common.peer;

import dev.sluice.common.name.NodeId;
import java.util.Optional;

/// Proof that a call comes from a node of this cluster: made with the cluster's key, bound to method and path, short-lived.
public interface PeerTokens {
    /// The header that carries the token.
    String HEADER = "x-sluice-peer";

    String issue(String method, String path);

    /// The node that made the token; empty when it is forged, expired or made for something else.
    Optional<NodeId> verify(String token, String method, String path);
}
