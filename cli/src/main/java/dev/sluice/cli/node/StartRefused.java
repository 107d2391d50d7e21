package dev.sluice.cli.node;

import dev.sluice.cli.failure.CommandFailure;

/// Why a node does not start, in one line a person can act on.
public final class StartRefused extends Exception {
    private final int exitCode;

    public StartRefused(String reason) {
        super(reason);
        this.exitCode = CommandFailure.FAILED;
    }

    public StartRefused(String reason, Throwable cause) {
        super(reason, cause);
        this.exitCode = CommandFailure.FAILED;
    }

    private StartRefused(String reason, int exitCode) {
        super(reason);
        this.exitCode = exitCode;
    }

    /// It would be the same the next time, until somebody changes something: nothing should start it again by itself.
    static StartRefused forGood(String reason) {
        return new StartRefused(reason, CommandFailure.REFUSED);
    }

    public int exitCode() {
        return exitCode;
    }
}
