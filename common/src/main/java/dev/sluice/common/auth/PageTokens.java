package dev.sluice.common.auth;

import java.time.Duration;
import java.time.Instant;

/// The capability in the address of the cluster's page: whoever holds it may look, and change nothing. Immutable, for
/// all threads.
public final class PageTokens {
    private static final Duration LIFETIME = Duration.ofHours(12);
    private static final long NO_EPOCH = 0;

    private final Capability capability;

    /// @param clusterKey the secret that all nodes share, 16 bytes or more
    public PageTokens(byte[] clusterKey) {
        this.capability = new Capability(clusterKey, "sluice page");
    }

    /// @param identity who asked for it
    public String issue(Identity identity, Instant now) {
        return capability.issue(identity, NO_EPOCH, now.plus(LIFETIME));
    }

    public TokenVerdict verify(String token, Instant now) {
        return capability.verify(token, now);
    }
}
