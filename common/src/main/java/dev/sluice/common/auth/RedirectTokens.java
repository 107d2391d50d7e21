package dev.sluice.common.auth;

import java.time.Duration;
import java.time.Instant;

/// The capability in the query of a redirect's Location: whoever holds it may send this one request to the second node,
/// which then looks at no other signature, since no client signs again for the second host. Immutable, for all threads.
public final class RedirectTokens {
    /// The query parameter that carries a token.
    public static final String PARAMETER = "x-sluice-token";

    private static final Duration LIFETIME = Duration.ofSeconds(60);

    /// What a token allows.
    ///
    /// @param arguments what the query says about the answer, or empty
    public record Request(String method, String bucket, String key, String arguments) {
        private String[] about() {
            return arguments.isEmpty()
                    ? new String[] {method, bucket, key}
                    : new String[] {method, bucket, key, arguments};
        }
    }

    private final Capability capability;
    private final Duration lifetime;

    /// @param clusterKey the secret that all nodes share, 16 bytes or more
    public RedirectTokens(byte[] clusterKey) {
        this(clusterKey, LIFETIME);
    }

    public RedirectTokens(byte[] clusterKey, Duration lifetime) {
        this.capability = new Capability(clusterKey, "sluice redirect");
        this.lifetime = lifetime;
    }

    public String issue(Request request, Identity identity, long slotEpoch, Instant now) {
        return capability.issue(identity, slotEpoch, now.plus(lifetime), request.about());
    }

    public TokenVerdict verify(String token, Request request, Instant now) {
        return capability.verify(token, now, request.about());
    }
}
