package dev.sluice.common.auth;

import java.time.Duration;
import java.time.Instant;

/// How a node proves to another that it relays a client's request. It gives no right: the client's own credentials go
/// with the request. Immutable, for all threads.
public final class HopTokens {
    /// The header that carries a token.
    public static final String HEADER = "x-sluice-hop-token";

    /// Longer than a relay waits for a primary, and than clocks of nodes differ: without its hop, a request may circle.
    private static final Duration LIFETIME = Duration.ofMinutes(10);

    private final Capability capability;

    /// @param clusterKey the secret that all nodes share, 16 bytes or more
    public HopTokens(byte[] clusterKey) {
        this.capability = new Capability(clusterKey, "sluice hop");
    }

    /// What a token is good for.
    ///
    /// @param receiver the id of the node that gets the request
    /// @param target path and query as in the request line
    /// @param hop what the relaying node says of the request
    public record Request(String receiver, String method, String target, String hop) {}

    public String issue(String nodeId, Request request, Instant now) {
        return capability.issue(new Identity.Node(nodeId), 0, now.plus(LIFETIME), about(request));
    }

    public boolean verify(String token, Request request, Instant now) {
        return capability.verify(token, now, about(request)) instanceof TokenVerdict.Granted;
    }

    private static String[] about(Request request) {
        return new String[] {request.receiver(), request.method(), request.target(), request.hop()};
    }
}
