package dev.sluice.common.auth;

/// What a token is worth.
public sealed interface TokenVerdict {
    /// Made by this cluster for exactly this request.
    ///
    /// @param epoch the slot epoch its maker knew; 0 in tokens between nodes
    record Granted(Identity identity, long epoch) implements TokenVerdict {}

    /// Made by this cluster for exactly this request, but too long ago.
    record Expired() implements TokenVerdict {}

    /// Not made by this cluster, or for another request.
    record Forged() implements TokenVerdict {}
}
