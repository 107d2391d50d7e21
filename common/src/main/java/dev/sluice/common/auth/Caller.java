package dev.sluice.common.auth;

/// The outcome of authentication: who it is, and how the body that follows is framed and to be checked.
public record Caller(Identity identity, BodyTerms body) {}
