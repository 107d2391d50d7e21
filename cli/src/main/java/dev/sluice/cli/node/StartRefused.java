package dev.sluice.cli.node;

/// Why a node does not start, in one line a person can act on.
public final class StartRefused extends Exception {
    public StartRefused(String reason) {
        super(reason);
    }

    public StartRefused(String reason, Throwable cause) {
        super(reason, cause);
    }
}
