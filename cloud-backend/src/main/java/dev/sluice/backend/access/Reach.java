package dev.sluice.backend.access;

/// Which addresses a connection to a backend may have. No link-local or metadata address is in either.
public enum Reach {
    /// The operator named the endpoint in full: its name may lead to any network, the node's own included.
    NAMED,
    /// A pattern matched the endpoint's host: its name may lead to public addresses only.
    PUBLIC
}
