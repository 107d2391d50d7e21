package dev.sluice.common.peer;

import dev.sluice.common.auth.Identity;
import dev.sluice.common.auth.NodeTokens;
import dev.sluice.common.auth.TokenVerdict;
import dev.sluice.common.name.NodeId;
import java.time.InstantSource;
import java.util.Optional;

/// Proof that a call comes from a node of this cluster: made with the cluster's key, bound to method and path,
/// short-lived.
public final class PeerTokens {
    /// The header that carries the token.
    public static final String HEADER = NodeTokens.HEADER;

    private final NodeId self;
    private final NodeTokens tokens;
    private final InstantSource clock;

    public PeerTokens(NodeId self, byte[] clusterKey, InstantSource clock) {
        this.self = self;
        this.tokens = new NodeTokens(clusterKey);
        this.clock = clock;
    }

    public String issue(String method, String path) {
        return tokens.issue(self.value(), method, path, clock.instant());
    }

    /// The node that made the token; empty when it is forged, expired or made for something else.
    public Optional<NodeId> verify(String token, String method, String path) {
        return switch (tokens.verify(token, method, path, clock.instant())) {
            case TokenVerdict.Granted(Identity.Node(var id), var _) -> Optional.of(new NodeId(id));
            case TokenVerdict.Granted _, TokenVerdict.Expired _, TokenVerdict.Forged _ -> Optional.empty();
        };
    }
}
