package dev.sluice.targetnode.storage.drive;

import java.io.IOException;

/// A commit of which nobody knows what a restart would find. No other is tried before the drive was opened anew.
final class CommitFailedException extends IOException {
    CommitFailedException(Throwable cause) {
        super("a commit failed: " + cause.getMessage(), cause);
    }
}
