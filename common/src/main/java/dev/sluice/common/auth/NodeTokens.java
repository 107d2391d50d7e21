package dev.sluice.common.auth;

import java.time.Duration;
import java.time.Instant;

/// How one node of the cluster proves to another that it is one: a short-lived token for one method and path.
/// Immutable, for all threads.
public final class NodeTokens {
    /// The header that carries a token.
    public static final String HEADER = "x-sluice-node-token";

    private static final Duration LIFETIME = Duration.ofSeconds(60);

    private final Capability capability;

    /// @param clusterKey the secret that all nodes share, 16 bytes or more
    public NodeTokens(byte[] clusterKey) {
        this.capability = new Capability(clusterKey, "sluice node");
    }

    /// @param path as in the request line; with the query where that changes what is asked for
    public String issue(String nodeId, String method, String path, Instant now) {
        return capability.issue(new Identity.Node(nodeId), 0, now.plus(LIFETIME), method, path);
    }

    public TokenVerdict verify(String token, String method, String path, Instant now) {
        return capability.verify(token, now, method, path);
    }
}
