package dev.sluice.common.auth;

import java.time.Duration;
import java.time.Instant;

/// How one node of the cluster proves to another that it is one: a short-lived token for one request to one receiver.
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

    /// What a token is good for.
    ///
    /// @param receiver the id of the node that is called
    /// @param target path and query as in the request line
    /// @param body what is known of the body before it comes
    public record Request(String receiver, String method, String target, String body) {}

    public String issue(String nodeId, Request request, Instant now) {
        return capability.issue(new Identity.Node(nodeId), 0, now.plus(LIFETIME), about(request));
    }

    public TokenVerdict verify(String token, Request request, Instant now) {
        return capability.verify(token, now, about(request));
    }

    private static String[] about(Request request) {
        return new String[] {request.receiver(), request.method(), request.target(), request.body()};
    }
}
